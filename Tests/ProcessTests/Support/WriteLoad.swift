/// Clients that write to a room without waiting for each answer. Afterwards the room shows which
/// transactions were applied, and how often.
///
/// Each transaction inserts an item of its own, moves the one before, and adds one to a number of
/// its client.
final class WriteLoad {
    let room: String
    private(set) var clients: [JoinProcess]
    /// The clients that were killed.
    private(set) var killed: [JoinProcess] = []
    private let url: String?
    private let options: [String]

    /// How many transactions of a client are in flight at most.
    private static let window = 30

    /// - Parameters:
    ///   - url: where the clients find the server, if not at its address.
    ///   - options: those of all programs that connect.
    init(
        _ names: [String], room: String, at server: ServerProcess, by url: String? = nil,
        _ options: [String] = []
    ) throws {
        self.room = room
        (self.url, self.options) = (url, options)
        clients = []
        for name in names { try add(name, at: server) }
    }

    /// Adds a client that writes.
    func add(_ name: String, at server: ServerProcess) throws {
        let client = try JoinProcess(
            name, room: room, at: url ?? server.address, mayLoseConnection: true, options)
        let item: JSON = ["id": .text("count-\(name)"), "fields": ["count": 0]]
        try client.submit([["insert": ["item": item, "to": ["section": "main"]]]])
        try client.readUntilAnswered()
        clients.append(client)
    }

    /// Kills the client that was added last.
    func killLast() throws {
        guard let client = clients.popLast() else { return }
        try client.kill()
        killed.append(client)
    }

    var acknowledgedCount: Int { clients.reduce(0) { $0 + $1.acknowledged.count } }

    /// Writes until that many more transactions are acknowledged, with others in flight.
    func run(untilAcknowledged count: Int) throws {
        let target = acknowledgedCount + count
        while acknowledgedCount < target {
            for client in clients {
                try fill(client)
                try client.read(until: "answers") { $0.unanswered < WriteLoad.window }
            }
        }
        for client in clients { try fill(client) }
    }

    /// Writes until each client has got another acknowledgement.
    func runUntilAllAreServed() throws {
        for client in clients {
            let count = client.acknowledged.count
            try fill(client)
            try client.read(until: "an answer") { $0.acknowledged.count > count }
        }
    }

    /// Sends as many transactions as may be in flight.
    private func fill(_ client: JoinProcess) throws {
        while client.unanswered < WriteLoad.window {
            let number = client.sent + 1
            var operations: [JSON] = [
                [
                    "insert": [
                        "item": ["id": .text(item(client, number))],
                        "to": ["after": .text("count-\(client.name)")],
                    ]
                ],
                ["increment": ["id": .text("count-\(client.name)"), "field": "count", "by": 1]],
            ]
            if number > 2 {
                let previous = JSON.text(item(client, number - 1))
                operations.append(["move": ["id": previous, "to": ["section": "main"]]])
            }
            try client.submit(operations)
        }
    }

    /// The id of the item that a transaction inserts; the first transaction inserts the number
    /// instead.
    private func item(_ client: JoinProcess, _ transaction: Int) -> String {
        "\(client.name)-\(transaction)"
    }

    /// The acknowledged items of all clients that are missing in a room.
    func missing(in replica: RoomReplica) -> [String] {
        let there = Set(replica.identifiers)
        return (clients + killed).flatMap { client in
            client.acknowledged.keys.filter { $0 > 1 }.map { item(client, $0) }
                .filter { !there.contains($0) }
        }
    }

    /// Waits until all is answered, ends the clients, and returns the violations. Every transaction
    /// must be acknowledged, applied once, and received by all clients.
    func findings(at server: ServerProcess) throws -> [String] {
        var findings: [String] = []
        for client in clients { try client.readUntilAnswered() }
        let revisions = clients.flatMap(\.acknowledged.values).sorted()
        let last = revisions.last ?? 0
        for client in clients { try client.read(untilRevision: last) }
        let exported = try server.export(room, options)
        if killed.isEmpty, revisions != Array(1...max(1, last)) {
            findings.append("revisions: \(revisions)")
        }
        findings += missing(in: exported).map { "\($0) is missing" }
        for client in clients {
            let count = exported.item("count-\(client.name)")?["fields"]?["count"]?.integer
            if count != client.sent - 1 {
                findings.append("\(client.name): \(client.sent - 1) sent, \(count ?? -1) applied")
            }
            if try client.room != exported { findings.append("\(client.name) holds another room") }
            if !client.rejected.isEmpty { findings.append("rejected: \(client.rejected)") }
            if !client.superseded.isEmpty { findings.append("superseded: \(client.superseded)") }
            let ending = try client.finish()
            if ending != .exit(0) { findings.append("\(client.name) ended with \(ending)") }
        }
        return findings + killed.flatMap { self.findings(of: $0, in: exported) }
    }

    /// Checks that of a killed client's transactions the first part is in the room, once.
    private func findings(of killed: JoinProcess, in exported: RoomReplica) -> [String] {
        let there = Set(exported.identifiers)
        let applied = (2...max(2, killed.sent)).filter { there.contains(item(killed, $0)) }
        let count = exported.item("count-\(killed.name)")?["fields"]?["count"]?.integer
        var findings: [String] = []
        if !applied.elementsEqual(2..<2 + applied.count) {
            findings.append("of \(killed.name) there are \(applied)")
        }
        if count != applied.count {
            findings.append("\(killed.name): \(applied.count) there, \(count ?? -1) applied")
        }
        return findings
    }
}
