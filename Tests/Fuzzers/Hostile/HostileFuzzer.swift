/// The whole client library, used in every way, whose server is hostile: it sends messages of all
/// kinds in any order, whole, cut or repeated, reads or does not, and ends connections.
///
/// - Every call returns and every stream ends, at the latest when the client is closed.
/// - All that the client gives out is consistent, and within its limits. So is the memory that it
///   takes.
/// - It asks its source for tokens at most once a second, and has one request of it at a time.
/// - The server can read all that the client sends.
enum HostileFuzzer {
    private static let maximumSteps = 200

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let world = HostileWorld(HostileServer.Manners(rawValue: choices.byte()))
        for _ in 0..<maximumSteps where !choices.isAtEnd {
            switch choices.below(16) {
            case 0: world.run([1, 10, 500, 2_000, 70_000][choices.below(5)])
            case 1, 2, 3, 4, 5: world.call(&choices)
            case 6: world.server.close()
            case 7: world.server.repeatLast(times: [1, 4, 32, 255][choices.below(4)])
            case 8: world.hinder(&choices)
            case 9: world.server.say(HostileMessages.noise(&choices))
            default:
                world.server.say(HostileMessages.frame(&choices, to: &world.server.asked))
            }
            world.run(5)
            world.check()
        }
        world.end()
    }
}
