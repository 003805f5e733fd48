import SyncModel
import SyncServer
import Testing

/// A server, and clients that speak in lines or in frames, simulated from one seed.
final class LineWorld {
    private let world: HTTPWorld

    init(
        seed: UInt64, _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        world = try HTTPWorld(seed: seed) {
            $0.threads = 1 + Int(seed % 2)
            configure(&$0)
        }
    }

    /// Connects a client that speaks in lines, and waits until it is shown the room.
    ///
    /// - Parameters:
    ///   - options: parameters of the WebSocket, beside the room.
    ///   - snapshot: what the client has of the room already.
    func join(_ options: [String] = [], having snapshot: Snapshot? = nil) throws -> LineClient {
        let client = LineClient(having: snapshot)
        let target = "/v1/ws?" + (["room=room"] + options).joined(separator: "&")
        try world.connectLines(target) { client.didConnect($0) }
        #expect(run { client.welcome != nil })
        if !options.contains("viewOnly=true") { #expect(run { client.snapshot != nil }) }
        return client
    }

    /// Connects a client that speaks in frames, and waits until it has the room.
    func joinByFrames(_ name: String) throws -> FrameClient {
        let client = FrameClient(try Identifier(name))
        try world.connectFrames { client.didConnect($0) }
        #expect(run { client.snapshot != nil })
        return client
    }

    /// Lets time pass until a condition is true.
    func run(until condition: () -> Bool) -> Bool { world.run(until: condition) }

    func run(forMilliseconds duration: UInt64) {
        world.simulation.run(forMilliseconds: duration)
    }
}
