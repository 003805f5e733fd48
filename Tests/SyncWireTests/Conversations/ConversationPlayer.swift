import Foundation
import SwiftProtobuf
import SyncIO
import SyncServer
import SyncSim
import SyncStore
import Testing

/// Has the clients of a conversation send their messages to the real server, and records its
/// messages to them.
///
/// Successive lines of clients are sent without waiting. All of them are answered before any other
/// line. An event has an effect if it contains one of these phrases:
///
/// - `15 seconds pass`: that much time passes;
/// - `no answer arrives`: the client receives nothing any more;
/// - `nothing arrives`: the server receives nothing from the client either;
/// - `connects again`: everything arrives again, on a new connection;
/// - `says hello`, perhaps `with features 4`: the client sends a hello. The hello and the welcome
///   are left out.
///
/// Ids of rooms and epochs are random, so the first one is written as bytes of 1 and the second one
/// as bytes of 2.
final class ConversationPlayer {
    private let simulation = Simulation(seed: 1)
    private let server: Server
    private var address: SocketAddress?
    private var client: ConversationClient
    private var bob: ConversationClient?
    private var clients = 0
    private var isCut = false
    /// The ids from the server, and their written forms, in base64.
    private var ids: [(real: String, written: String)] = []
    private var recorded = Conversation()

    init() throws {
        // All messages take the same time, so they arrive in the order in which they are sent.
        simulation.conditions.networkDelayMicroseconds = 1000...1000
        simulation.conditions.pieceGapMicroseconds = 0...0
        let platform = simulation.makePlatform(named: "server")
        let store = WorkerStore(
            MemoryStorage(), worker: try platform.startWorker(named: "store"))
        let outcome = Outcome()
        server = try Server.start(
            on: platform, store: store, configuration: ServerConfiguration(), log: NoLog(),
            ready: { outcome.address = try? $0.get() })
        client = ConversationClient()
        simulation.run(limitMilliseconds: 1000) { outcome.address != nil }
        address = outcome.address
        client = try connect()
    }

    deinit {
        simulation.end()
        server.join()
    }

    static func play(_ script: Conversation) throws -> Conversation {
        let player = try ConversationPlayer()
        var said: [Conversation.Line] = []
        for line in script.lines {
            switch line {
            case .client, .bob: said.append(line)
            case .server: try player.say(&said)
            case .event(let text):
                try player.say(&said)
                try player.happen(text)
            }
        }
        try player.say(&said)
        return player.recorded
    }

    private func connect() throws -> ConversationClient {
        clients += 1
        let client = ConversationClient()
        let address = try #require(address)
        try simulation.makePlatform(named: "client \(clients)").startLoop(named: "client") {
            client.connect(to: address, on: $0)
        }
        simulation.run(limitMilliseconds: 1000) { client.isConnected }
        return client
    }

    private func happen(_ text: String) throws {
        recorded.lines.append(.event(text))
        if let seconds = try /(\d+) seconds pass/.firstMatch(in: text).flatMap({ UInt64($0.1) }) {
            simulation.run(forMilliseconds: seconds * 1000)
        }
        isCut = isCut || text.contains("nothing arrives")
        client.isDeaf = client.isDeaf || isCut || text.contains("no answer arrives")
        if text.contains("connects again") {
            client.close()
            client = try connect()
            isCut = false
        }
        if let hello = try /says hello(?: with features (\d+))?/.firstMatch(in: text) {
            try client.send([ConversationPlayer.hello(hello.1.flatMap { UInt64($0) } ?? 0)])
            simulation.run(forMilliseconds: 200)
            _ = client.takeReceived()
        }
        try settle()
    }

    /// Sends the queued lines, and records them with their answers.
    private func say(_ said: inout [Conversation.Line]) throws {
        defer { said = [] }
        for line in said {
            switch line {
            case .client(let text):
                let message = try frame(text)
                recorded.lines.append(.client(try self.text(message)))
                if !isCut { try client.send([message]) }
            case .bob(let text):
                let bob = try bob ?? enterBob()
                let message = try frame(text)
                recorded.lines.append(.bob(try self.text(message)))
                try bob.send([message])
                // Bob's message arrives before the next one is sent.
                simulation.run(forMilliseconds: 1)
            default: break
            }
        }
        try settle()
    }

    private func enterBob() throws -> ConversationClient {
        let entered = try connect()
        var join = Collsync_V1_Frame()
        join.join.request = 1
        join.join.room = "groceries"
        join.join.client = "c-bob"
        try entered.send([ConversationPlayer.hello(0), join])
        bob = entered
        try settle()
        return entered
    }

    private static func hello(_ features: UInt64) -> Collsync_V1_Frame {
        var frame = Collsync_V1_Frame()
        frame.hello.magic = "collsync"
        frame.hello.minVersion = 1
        frame.hello.maxVersion = 1
        frame.hello.features = features
        return frame
    }

    /// Lets time pass until the server sends nothing more, and records what it has sent.
    private func settle() throws {
        var count = -1
        while count != client.receivedCount {
            count = client.receivedCount
            simulation.run(forMilliseconds: 200)
        }
        for message in client.takeReceived() {
            learn(message)
            recorded.lines.append(.server(try text(message)))
        }
    }

    // MARK: Text

    private func learn(_ message: Collsync_V1_Frame) {
        guard case .joined(let joined) = message.body else { return }
        for id in [joined.identity.room] + joined.identity.epochs.map(\.id) {
            let real = id.base64EncodedString()
            guard !ids.contains(where: { $0.real == real }) else { continue }
            let written = Data(repeating: UInt8(ids.count + 1), count: id.count)
            ids.append((real, written.base64EncodedString()))
        }
    }

    private func frame(_ text: String) throws -> Collsync_V1_Frame {
        let real = ids.reduce(text) { $0.replacing($1.written, with: $1.real) }
        return try Collsync_V1_Frame(jsonString: real)
    }

    private func text(_ message: Collsync_V1_Frame) throws -> String {
        let text = ids.reduce(try message.jsonString()) { $0.replacing($1.real, with: $1.written) }
        var (spaced, isInText, isEscaped) = ("", false, false)
        for character in text {
            spaced.append(character)
            if !isInText, character == ":" || character == "," { spaced.append(" ") }
            if character == "\"", !isEscaped { isInText.toggle() }
            isEscaped = character == "\\" && !isEscaped
        }
        return spaced
    }
}

/// The address of a started server.
private final class Outcome: @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.
    var address: SocketAddress?
}

private struct NoLog: ServerLog {
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {}
}
