import Foundation
import Testing

extension ProcessTests {
    /// Programs outside of this package, which depend on it by its path, are built and run.
    @Suite(.serialized) struct OutsideAppTests {
        /// What a program of the core is linked with, of all that the package's other parts need.
        private static let foreign = ["libuv", "libjansson", "libcairo", "libsqlite3"]

        @Test func anAppShowsARoom() throws {
            let app = try Apps.build("Groceries")
            let server = try ServerProcess()
            let groceries = try ChildProcess(app, [server.address])
            let other = try JoinProcess("other", room: "groceries", at: server.address)
            try other.read(untilRevision: 1)
            try other.submit([["update": ["id": "milk", "set": ["done": true]]]])
            try other.readUntilAnswered()
            let lines = try groceries.output.all()
            #expect(try groceries.wait() == .exit(0), "\(groceries.transcript)")
            #expect(lines.last?.hasPrefix("Milk Optional(") == true, "\(lines)")
        }

        /// The core has no connection of its own, and so nothing of the libraries that make one.
        @Test func theCoreStandsAlone() throws {
            let app = try Apps.build("Core")
            let core = try ChildProcess(app, [])
            let lines = try core.output.all()
            #expect(try core.wait() == .exit(0), "\(core.transcript)")
            #expect(lines.first?.hasPrefix("Eggs Optional(") == true, "\(lines)")
            #expect(lines.last == "reload 1, update 1, insert [[0, 0]], done 2")
            let linker = try ChildProcess(URL(filePath: "/usr/bin/env"), ["ldd", app.path])
            let linked = try linker.output.all().joined()
            #expect(try linker.wait() == .exit(0))
            #expect(linked.contains("libz."))
            for library in Self.foreign {
                #expect(!linked.contains(library), "\(library) is linked")
            }
        }
    }
}

/// The programs in `Tests/Apps`.
private enum Apps {
    static func build(_ name: String) throws -> URL {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Apps").standardized
        let scratch = try Program.server.deletingLastPathComponent().appending(path: "apps")
        let swift = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            [
                "swift", "build", "--package-path", package.path, "--scratch-path", scratch.path,
                "--product", name,
            ])
        guard try swift.wait(within: 900) == .exit(0) else {
            throw TestFailure("\(name) does not build: \(swift.transcript)")
        }
        return scratch.appending(path: "debug/\(name)")
    }
}
