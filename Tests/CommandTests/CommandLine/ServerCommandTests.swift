import Testing

@testable import collsync

/// The commands of the server's program.
@Suite struct ServerCommandTests {
    @Test func theNearestCommandIsNamed() {
        #expect(
            Collsync.unknownCommand(in: ["sevre"])
                == "there is no command 'sevre', did you mean 'serve'?")
        for fine in [[], ["--version"], ["help", "serve"], ["audit", "x"]] {
            #expect(Collsync.unknownCommand(in: fine) == nil)
        }
    }
}
