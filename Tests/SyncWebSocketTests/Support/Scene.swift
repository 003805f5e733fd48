import SyncBytes
import SyncIO
import SyncSim
import TLSSupport
import Testing

@testable import SyncWebSocket

/// What comes of a stream. Sendable, because everything runs on one thread.
final class Notes: ByteStreamHandler, @unchecked Sendable {
    var received: [UInt8] = []
    var reads = 0
    var drains = 0
    var closes: [IOError?] = []
    var onReceive: () -> Void = {}
    var onDrain: () -> Void = {}

    var text: String { String(decoding: received, as: UTF8.self) }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        received += bytes
        reads += 1
        onReceive()
    }

    func streamDidDrain() {
        drains += 1
        onDrain()
    }

    func streamDidClose(_ error: IOError?) {
        closes.append(error)
        onReceive = {}
        onDrain = {}
    }
}

/// A loop in a simulation. Sendable, because everything runs on one thread.
final class SceneLoop: @unchecked Sendable {
    let simulation: Simulation
    private(set) var loop: (any EventLoop)?

    init(seed: UInt64 = 1, in simulation: Simulation? = nil) throws {
        self.simulation = simulation ?? Simulation(seed: seed)
        try self.simulation.makePlatform(named: "host").startLoop(named: "loop") { [self] in
            loop = $0
        }
        self.simulation.runUntilIdle()
    }
}

/// A WebSocket whose other side is a test that sends and takes bytes.
final class Scene {
    let simulation: Simulation
    let below: ScriptedStream
    let stream: WebSocketStream
    let notes = Notes()

    init(
        _ kind: WebSocketProtocol, isServer: Bool = true, received: [UInt8] = [],
        isOpened: Bool = true
    ) throws {
        let made = try SceneLoop()
        simulation = made.simulation
        let loop = try #require(made.loop)
        below = ScriptedStream(on: loop)
        stream = WebSocketStream(
            on: below, kind, isServer: isServer, loop: loop, received: received)
        below.open(stream)
        if isOpened { stream.open(notes) }
    }

    deinit {
        below.abandon()
        simulation.end()
    }

    /// Sends each part as a read of its own, and lets time pass.
    func send(_ parts: [[UInt8]]) {
        below.send(parts)
        simulation.run(forMilliseconds: 100)
    }

    func send(_ frames: Frame...) {
        send(frames.map { $0.bytes() })
    }

    func write(_ text: String...) {
        stream.write(text.map { SharedBytes(Array($0.utf8)) })
        simulation.run(forMilliseconds: 100)
    }

    /// The frames that the stream has sent since the last call.
    func takeFrames() throws -> [Frame] {
        try #require(Frame.all(in: below.takeWritten()), "what is sent ends within a frame")
    }
}
