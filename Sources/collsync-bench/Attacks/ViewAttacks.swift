import SyncLayout
import SyncModel
import SyncWire

/// Views that are small to request and expensive to show.
struct ViewAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "columns", what: "layouts of many columns in a room of many sections",
                prepare: columns),
            Attack(
                name: "resizing", what: "one view is resized again and again", prepare: resizing),
            Attack(name: "screens", what: "large screens while somebody edits", prepare: screens),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    private func columns(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("columns")
        let maker = try scene.gang.enter(room, count: 1)[0]
        let sections = count(20_000)
        var counter: UInt64 = 0
        for start in stride(from: 0, to: sections, by: 1000) {
            counter += 1
            try maker.submit(
                try (start..<min(sections, start + 1000)).map {
                    .insertSection(
                        ListSection(id: try Identifier("s\($0)"), content: SectionContent()),
                        to: Placement())
                }, base: 0, counter: counter)
        }
        try scene.waitForAnswers(Int(counter), of: [maker])
        return { [counter] in
            let strangers = try scene.gang.enter(room, count: 8, viewOnly: true)
            for (number, stranger) in strangers.enumerated() {
                stranger.send(
                    .view(
                        ViewRequest(
                            room: stranger.answers.handles[0], view: 1,
                            layout: ViewLayout(.waterfall) { $0.columnCount = 1024 - number },
                            bounds: ListRect(width: 5000, height: 1000))))
            }
            for edit in 1...UInt64(50) {
                try maker.submit(
                    [
                        .insertSection(
                            ListSection(
                                id: try Identifier("new-\(edit)"), content: SectionContent()),
                            to: Placement(position: .index(0)))
                    ], base: 0, counter: counter + edit)
                try scene.gang.run(seconds: 0.05)
            }
            try scene.waitForAnswers(Int(counter) + 50, of: [maker])
        }
    }

    private func filled(_ scene: AttackScene) throws -> RoomName {
        _ = try ViewedRoom(.waterfall, items: count(200_000)).fill(by: try scene.talk())
        return try ViewedRoom.name()
    }

    private func resizing(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try filled(scene)
        let stranger = try scene.gang.enter(room, count: 1, viewOnly: true)[0]
        return {
            for number in 0..<400 {
                stranger.send(
                    .view(
                        ViewRequest(
                            room: stranger.answers.handles[0], view: 1,
                            layout: number == 0 ? ViewLayout(.flow) : nil,
                            bounds: ListRect(width: Double(300 + number % 100), height: 600))))
                try scene.gang.run(seconds: 0.01)
            }
        }
    }

    private func screens(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try filled(scene)
        let strangers = try scene.gang.enter(room, count: 64, viewOnly: true)
        let editor = try scene.gang.enter(room, count: 1)[0]
        return {
            for (number, stranger) in strangers.enumerated() {
                stranger.send(
                    .view(
                        ViewRequest(
                            room: stranger.answers.handles[0], view: 1,
                            layout: ViewLayout(.waterfall) { $0.columnCount = 40 },
                            bounds: ListRect(y: Double(number), width: 4000, height: 5000))))
            }
            for edit in 1...UInt64(200) {
                try editor.submit(
                    [
                        .insert(
                            Item(id: try Identifier("new-\(edit)"), content: ItemContent()),
                            to: Placement(section: Identifier("main"), position: .index(0)))
                    ], base: editor.answers.handles.isEmpty ? 0 : 0, counter: edit)
                try scene.gang.run(seconds: 0.01)
            }
            try scene.waitForAnswers(200, of: [editor])
        }
    }
}
