import SyncModel
import SyncWire

/// Small requests for rooms and their history that need large answers, or answers that nobody
/// reads.
struct FeedAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "overtaken",
                what: "a member is far behind while another is still sent the whole room",
                prepare: overtaken),
            Attack(
                name: "resumes", what: "members come back from a revision each, and take nothing",
                options: ["--max-memory", "536870912"], prepare: resumes),
            Attack(
                name: "joins", what: "members come back to a large room from revisions long ago",
                prepare: joins),
            Attack(
                name: "openings", what: "the past of a very large room is read while rooms open",
                options: ["--horizon", "10", "--horizon-max", "10"], prepare: openings),
            Attack(
                name: "pastes", what: "many large rooms are joined while somebody pastes",
                prepare: pastes),
        ]
    }

    /// The longest wait, in seconds, of a well-behaved client for an answer that takes a while by
    /// itself.
    private static let mostSeconds = 0.5

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    /// Changes items, one after the other.
    private func edit(
        _ room: RoomName, _ scene: AttackScene, items: Int, transactions: Int, text: String
    ) throws {
        let talk = try scene.talk()
        let joined = try talk.join(room, as: "editor", viewOnly: true)
        let each = max(1, items / transactions)
        for number in 0..<transactions {
            let patch = ItemPatch(set: [
                Field(name: Identifier("text"), value: .text("\(number) \(text)"))
            ])
            let operations = try (0..<each).map {
                ListOperation.update(
                    try EngineBenchmark.id((number * each + $0) % items), patch)
            }
            try talk.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: UInt64(number + 1),
                        transaction: ListTransaction(base: joined.revision, operations: operations))
                ))
            _ = try talk.waitForAck(of: UInt64(number + 1))
        }
    }

    private func overtaken(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("overtaken")
        let items = count(20_000)
        let (filled, origin) = try scene.talk().fill(room, items: items)
        return {
            let unread = try scene.gang.add()
            unread.reads = false
            try unread.join(room, as: "unread")
            try scene.gang.run(seconds: 0.5)
            let text = String(repeating: "x", count: 100)
            try edit(room, scene, items: items, transactions: max(1, items / 500), text: text)
            let late = try scene.gang.add()
            try late.join(room, as: "late", from: filled, of: origin)
            try scene.gang.run(seconds: 2)
        }
    }

    private func resumes(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("resumes")
        let edits = count(100)
        let (filled, origin) = try scene.talk().fill(room, items: edits)
        let text = String(repeating: "x", count: 80_000)
        try edit(room, scene, items: edits, transactions: edits, text: text)
        return {
            for number in 0..<edits {
                let stranger = try scene.gang.add()
                stranger.reads = false
                try stranger.join(
                    room, as: "stranger-\(number)", from: filled + Revision(number), of: origin)
            }
            try scene.gang.run(seconds: 10)
        }
    }

    private func joins(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("joins")
        let (revision, origin) = try scene.talk().fill(room, items: count(200_000))
        return {
            for number in 0..<min(count(60), Int(revision)) {
                let stranger = try scene.gang.add()
                try stranger.join(
                    room, as: "stranger-\(number)", from: Revision(number), of: origin)
            }
            try scene.gang.run(seconds: 0.2)
            try scene.expect("a newcomer's first frame", within: FeedAttacks.mostSeconds) {
                let talk = try scene.talk()
                _ = try talk.join(room, as: "newcomer")
                while true { if case .snapshot = try talk.receive() { return } }
            }
        }
    }

    private func openings(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("past")
        let (revision, _) = try scene.talk().fill(room, items: count(1_500_000))
        return {
            let stranger = try scene.gang.add()
            for number in 1...UInt64(8) {
                let past = revision - min(revision, number)
                stranger.send(
                    .readSnapshot(
                        ReadSnapshot(
                            request: stranger.nextRequest(), room: room, revision: past)))
            }
            try scene.gang.run(seconds: 0.2)
            try scene.expect("to open a room", within: FeedAttacks.mostSeconds) {
                _ = try scene.talk().join(try AttackScene.room("another"), as: "honest")
            }
        }
    }

    private func pastes(_ scene: AttackScene) throws -> () throws -> Void {
        let rooms = try (0..<count(40)).map { try AttackScene.room("large-\($0)") }
        for room in rooms { _ = try scene.talk().fill(room, items: count(80_000)) }
        return {
            for (number, room) in rooms.enumerated() {
                let stranger = try scene.gang.add()
                try stranger.join(room, as: "stranger-\(number)")
            }
            try scene.gang.run(seconds: 0.1)
            let talk = try scene.talk()
            let joined = try talk.join(try AttackScene.room("paste"), as: "honest", viewOnly: true)
            try scene.expect("a paste", within: FeedAttacks.mostSeconds) {
                let main = Placement(section: Identifier("main"))
                let operations = try (0..<count(3000)).map {
                    ListOperation.insert(try EngineBenchmark.item($0), to: main)
                }
                try talk.send(
                    .submit(
                        try Submit(
                            room: joined.handle, counter: 1,
                            transaction: ListTransaction(base: 0, operations: operations))))
                _ = try talk.waitForAck(of: 1)
            }
        }
    }
}
