import SyncModel
import SyncWire

/// Small transactions that are expensive to merge.
struct MergeAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "growth", what: "small updates of an item that merging has grown",
                options: ["--idle-unload", "1s"], prepare: growth),
            Attack(
                name: "replacing", what: "one transaction of thousands of updates of a grown item",
                prepare: replacing),
            Attack(
                name: "anchors",
                what: "inserts at an anchor behind which much was put since the base",
                prepare: anchors),
            Attack(
                name: "indices", what: "places by index, counted in a state long ago",
                prepare: indices),
            Attack(
                name: "losing", what: "one transaction of losing deletes of a large section",
                prepare: losing),
            Attack(
                name: "deleting", what: "a large section is deleted, again and again brought back",
                prepare: deleting),
            Attack(
                name: "guards",
                what: "one transaction of guards that compare all contents that an item had",
                prepare: guards),
            Attack(
                name: "refusals", what: "transactions of many members, refused and repeated",
                prepare: refusals),
            Attack(
                name: "authors", what: "refusals of many authors, to be remembered",
                prepare: authors),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// A room whose item has as many large fields as the server accepts, and a member of the room.
    private func grownItem(_ scene: AttackScene) throws -> Stranger {
        let stranger = try scene.gang.enter(try AttackScene.room("grown"), count: 1)[0]
        let text = String(repeating: "x", count: 250_000)
        let section = Identifier("main")
        let item = Item(id: Identifier("x"), content: ItemContent())
        try stranger.submit([.insert(item, to: Placement(section: section))], base: 0, counter: 1)
        for field in 0..<31 {
            let patch = ItemPatch(set: [
                Field(name: try Identifier("f\(field)"), value: .text(text))
            ])
            try stranger.submit(
                [.update(item.id, patch)], base: 0, counter: UInt64(2 + field))
        }
        try scene.waitForAnswers(32, of: [stranger])
        return stranger
    }

    private func touch(_ number: Int) throws -> ListOperation {
        .update(
            Identifier("x"),
            ItemPatch(set: [Field(name: Identifier("n"), value: .number(Double(number)))]))
    }

    private func growth(_ scene: AttackScene) throws -> () throws -> Void {
        let stranger = try grownItem(scene)
        return { [self] in
            for number in 0..<count(200) {
                try stranger.submit([try touch(number)], base: 0, counter: UInt64(100 + number))
            }
            try scene.waitForAnswers(32 + count(200), of: [stranger])
            // Leave the room, so that the server can close it.
            if let handle = stranger.answers.handles.first {
                stranger.send(.leave(Leave(request: stranger.nextRequest(), room: handle)))
            }
            try scene.gang.run(seconds: 3)
        }
    }

    private func replacing(_ scene: AttackScene) throws -> () throws -> Void {
        let stranger = try grownItem(scene)
        return { [self] in
            try stranger.submit(
                try (0..<count(6000)).map(touch), base: 0, counter: 100)
            try scene.waitForAnswers(33, of: [stranger])
        }
    }

    private func item(_ number: Int, _ prefix: String) throws -> Item {
        Item(id: try Identifier("\(prefix)\(number)"), content: ItemContent())
    }

    /// Inserts items in transactions of a thousand.
    private func fill(
        _ room: RoomName, _ items: Int, _ scene: AttackScene, at place: Placement
    ) throws {
        let talk = try scene.talk()
        let joined = try talk.join(room, as: "another")
        var counter: UInt64 = 0
        for start in stride(from: 0, to: items, by: 1000) {
            counter += 1
            let operations = try (start..<min(items, start + 1000)).map {
                ListOperation.insert(try item($0, "n"), to: place)
            }
            try talk.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: counter,
                        transaction: ListTransaction(base: joined.revision, operations: operations))
                ))
            _ = try talk.waitForAck(of: counter)
        }
    }

    private func anchors(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("anchors")
        let stranger = try scene.gang.enter(room, count: 1)[0]
        let section = Identifier("main")
        try stranger.submit(
            [.insert(try item(0, "a"), to: Placement(section: section))], base: 0, counter: 1)
        try scene.waitForAnswers(1, of: [stranger])
        let anchor = Placement(section: section, position: .after(Identifier("a0")))
        try fill(room, count(200_000), scene, at: anchor)
        return { [self] in
            let inserts = try (0..<count(10_000)).map {
                ListOperation.insert(try item($0, "b"), to: anchor)
            }
            try stranger.submit(inserts, base: 1, counter: 2)
            try scene.waitForAnswers(2, of: [stranger])
        }
    }

    private func indices(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("indices")
        let stranger = try scene.gang.enter(room, count: 1)[0]
        let section = Identifier("main")
        try stranger.submit(
            try (0..<1000).map { .insert(try item($0, "a"), to: Placement(section: section)) },
            base: 0, counter: 1)
        try scene.waitForAnswers(1, of: [stranger])
        try fill(
            room, count(200_000), scene, at: Placement(section: section, position: .index(500)))
        return { [self] in
            let inserts = try (0..<count(2000)).map {
                ListOperation.insert(
                    try item($0, "b"),
                    to: Placement(section: section, position: .index(UInt64($0 * 7 % 1000))))
            }
            try stranger.submit(inserts, base: 1, counter: 2)
            try scene.waitForAnswers(2, of: [stranger])
        }
    }

    private func losing(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("losing")
        let stranger = try scene.gang.enter(room, count: 1)[0]
        let section = Identifier("main")
        try fill(room, count(400_000), scene, at: Placement(section: section))
        return { [self] in
            let deletes = [ListOperation](
                repeating: .deleteSection(section), count: count(10_000))
            try stranger.submit(deletes, base: 0, counter: 1)
            try scene.waitForAnswers(1, of: [stranger])
        }
    }

    private func deleting(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("deleting")
        let section = Identifier("main")
        try fill(room, count(400_000), scene, at: Placement(section: section))
        let talk = try scene.talk()
        let revision = try talk.join(room, as: "stranger").revision
        let stranger = try scene.gang.enter(room, count: 1)[0]
        return { [self] in
            try stranger.submit([.deleteSection(section)], base: revision, counter: 1)
            try stranger.submit(
                try (0..<count(2000)).map {
                    .move(try Identifier("n\($0)"), to: Placement(section: section))
                }, base: revision, counter: 2)
            try scene.waitForAnswers(2, of: [stranger])
        }
    }

    /// An item of many small fields changes a thousand times. Then each guard names sixteen that it
    /// does not have.
    private func guards(_ scene: AttackScene) throws -> () throws -> Void {
        let stranger = try scene.gang.enter(try AttackScene.room("guards"), count: 1)[0]
        let place = Placement(section: Identifier("main"))
        try stranger.submit([.insert(try item(0, "x"), to: place)], base: 0, counter: 1)
        let id = Identifier("x0")
        let growth = try (0..<4).map { part in
            let fields = try (0..<250).map {
                Field(name: try Identifier("f\(part * 250 + $0)"), value: .null)
            }
            return ListOperation.update(id, ItemPatch(set: fields))
        }
        let total = UInt64(1 + count(1000))
        for counter in 2...total {
            let value = Value.number(Double(counter))
            let change = ListOperation.update(
                id, ItemPatch(set: [Field(name: Identifier("n"), value: value)]))
            let operations = counter == 2 ? growth : [change]
            try stranger.submit(operations, base: 0, counter: counter)
            if counter % 100 == 0 { try scene.waitForAnswers(Int(counter), of: [stranger]) }
        }
        try scene.waitForAnswers(Int(total), of: [stranger])
        let names = try (0..<Guard.maximumFields).map { try Identifier("g\($0)") }
        let deletion = ListOperation.delete(id).ifUnchanged(since: 1, fields: names)
        return { [self] in
            try stranger.submit(
                Array(repeating: deletion, count: count(10_000)), base: 1, counter: total + 1)
            try scene.waitForAnswers(Int(total) + 1, of: [stranger])
        }
    }

    private func refusals(_ scene: AttackScene) throws -> () throws -> Void {
        let strangers = try scene.gang.enter(try AttackScene.room("refusals"), count: count(400))
        let unknown = Identifier("unknown")
        return {
            for stranger in strangers {
                for counter in 1...UInt64(250) {
                    try stranger.submit([.delete(unknown)], base: 0, counter: counter)
                    try stranger.submit([.delete(unknown)], base: 0, counter: counter)
                }
            }
            try scene.gang.wait(for: "the refusals") {
                strangers.allSatisfy { $0.isClosed || $0.answers.rejects >= 250 }
            }
        }
    }

    private func authors(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("authors")
        let unknown = try Identifier(String(repeating: "u", count: 100))
        return { [self] in
            for _ in 0..<count(500) / 10 {
                let strangers = try scene.gang.enter(room, count: 10)
                for stranger in strangers {
                    for counter in 1...UInt64(500) {
                        try stranger.submit([.delete(unknown)], base: 0, counter: counter)
                    }
                }
                try scene.waitForAnswers(500, of: strangers)
            }
        }
    }
}
