import SeededRandom
import Testing

extension ProcessTests {
    @Suite struct ConcurrentEditTests {
        /// Three clients edit at random at the same time, and all end with the same room.
        @Test(arguments: [1, 2] as [UInt64])
        func clientsEndEqual(seed: UInt64) throws {
            let server = try ServerProcess()
            var generator = SplitMix64(seed: seed)
            let clients = try ["a", "b", "c"].map {
                try JoinProcess($0, room: "room1", at: server.address)
            }
            for round in 0..<200 {
                for client in clients {
                    try client.readAvailable()
                    let editor = RandomEditor(
                        room: try client.room, prefix: "\(client.name)\(round)")
                    try client.submit(editor.transaction(using: &generator))
                }
                for client in clients {
                    try client.read(until: "answers") { $0.unanswered < 20 }
                }
            }
            for client in clients { try client.readUntilAnswered() }
            let last = clients.flatMap(\.acknowledged.values).max() ?? 0
            for client in clients { try client.read(untilRevision: last) }

            let exported = try server.export("room1")
            for client in clients {
                #expect(try client.room == exported, "client \(client.name), seed \(seed)")
                #expect(client.errors == [])
                #expect(client.snapshotCount == 1)
                // A transaction is refused only for a section whose delete its author had received
                // when the line was read.
                #expect(
                    client.rejected.values.allSatisfy { $0["code"] == "unknownSection" },
                    "\(client.rejected)")
                #expect(try client.finish() == .exit(client.rejected.isEmpty ? 0 : 65))
            }
            let revisions = clients.flatMap(\.acknowledged.values).sorted()
            #expect(
                revisions == Array(1...max(last, 1)), "every transaction has a revision of its own")
        }
    }
}

/// Makes meaningful operations for a room.
struct RandomEditor {
    let room: RoomReplica
    /// The prefix of new ids.
    let prefix: String

    func transaction(using generator: inout SplitMix64) -> [JSON] {
        (0..<Int.random(in: 1...3, using: &generator)).map { number in
            operation(number, using: &generator)
        }
    }

    private func operation(_ number: Int, using generator: inout SplitMix64) -> JSON {
        let item = room.identifiers.randomElement(using: &generator)
        let section = room.sectionIdentifiers.randomElement(using: &generator)
        let choice = Int.random(in: 0..<100, using: &generator)
        if let section, choice >= 90 {
            return sectionOperation(number, section, choice, using: &generator)
        }
        guard let item, choice >= 40 else {
            let item: JSON = [
                "id": .text("\(prefix)-\(number)"), "fields": ["title": .text("Made in \(prefix)")],
                "size": ["width": 120, "height": 80],
            ]
            return ["insert": ["item": item, "to": itemPlace(using: &generator)]]
        }
        let identifier = JSON.text(item)
        switch choice {
        case ..<60: return ["move": ["id": identifier, "to": itemPlace(using: &generator)]]
        case ..<75: return ["update": ["id": identifier, "set": ["title": .text(prefix)]]]
        case ..<80: return ["increment": ["id": identifier, "field": "count", "by": 2]]
        default: return ["delete": ["id": identifier]]
        }
    }

    private func sectionOperation(
        _ number: Int, _ section: String, _ choice: Int, using generator: inout SplitMix64
    ) -> JSON {
        let identifier = JSON.text(section)
        let index = Int.random(in: 0...room.sections.count, using: &generator)
        switch choice {
        case ..<94:
            let section: JSON = ["id": .text("s-\(prefix)-\(number)"), "fields": ["title": "New"]]
            return ["insertSection": ["section": section, "to": ["index": .number(Double(index))]]]
        case ..<96: return ["moveSection": ["id": identifier, "to": ["after": identifier]]]
        case ..<98: return ["updateSection": ["id": identifier, "set": ["title": .text(prefix)]]]
        default:
            return section == "main"
                ? ["moveSection": ["id": identifier, "to": ["index": 0]]]
                : ["deleteSection": ["id": identifier]]
        }
    }

    private func itemPlace(using generator: inout SplitMix64) -> JSON {
        let item = room.identifiers.randomElement(using: &generator)
        let section = JSON.text(room.sectionIdentifiers.randomElement(using: &generator) ?? "main")
        switch (Int.random(in: 0..<4, using: &generator), item) {
        case (0, let item?): return ["after": .text(item)]
        case (1, let item?): return ["before": .text(item)]
        case (2, _):
            let index = Int.random(in: 0...20, using: &generator)
            return ["section": section, "index": .number(Double(index))]
        default: return ["section": section]
        }
    }
}
