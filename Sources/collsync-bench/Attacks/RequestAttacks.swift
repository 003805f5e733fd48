import SyncBytes
import SyncModel
import SyncWire

/// Small requests and frames that are expensive to answer.
struct RequestAttacks {
    let scale: Double

    var all: [Attack] {
        [
            Attack(
                name: "inflating", what: "small deflated heartbeats of millions of entries",
                prepare: inflating),
            Attack(
                name: "snapshots",
                what: "a large room is read many times at once, and not taken in",
                prepare: snapshots),
            Attack(
                name: "lists", what: "the list of many rooms, many times at once",
                // The rooms are made before the attack.
                options: ["--idle-unload", "100ms", "--user-new-rooms-burst", "100000"],
                prepare: lists),
            Attack(
                name: "history", what: "the past is read, and not taken in",
                options: ["--horizon", "100", "--horizon-max", "100"], prepare: history),
            Attack(
                name: "past", what: "the past of a large room is read again and again",
                options: ["--horizon", "100", "--horizon-max", "100"], prepare: past),
            Attack(
                name: "sections", what: "sections that are as large as they may be",
                prepare: sections),
        ]
    }

    private func count(_ full: Int) -> Int { max(10, Int(Double(full) * scale)) }

    private func inflating(_ scene: AttackScene) throws -> () throws -> Void {
        let stranger = try scene.gang.enter(try AttackScene.room("any"), count: 1)[0]
        // Each entry is an empty message.
        let entries = count(4_200_000)
        var inner = ByteWriter(capacity: 2 * entries + 16)
        inner.write(tag: 6, .lengthDelimited)
        inner.write(varint: UInt64(2 * entries))
        for _ in 0..<entries {
            inner.write(byte: 0x0A)
            inner.write(byte: 0)
        }
        let bytes = try RequestAttacks.deflatedFrame(inner)
        scene.remarks.append("\(bytes.count) bytes a frame")
        return {
            for _ in 0..<10 { stranger.send(bytes: bytes) }
            try scene.gang.run(seconds: 20) { stranger.isClosed || stranger.hasSentAll }
        }
    }

    /// A deflated frame with a message.
    static func deflatedFrame(_ message: borrowing ByteWriter) throws -> [UInt8] {
        var deflated = [UInt8](repeating: 0, count: 1 << 20)
        let used = deflated.withUnsafeMutableBytes {
            Deflater().deflate(message.bytes, into: $0)
        }
        guard let used else { throw BenchError("the frame can't be deflated") }
        var frame = ByteWriter()
        let start = frame.beginLengthDelimited()
        frame.write(tag: 1, .lengthDelimited)
        frame.write(varint: UInt64(used))
        deflated[..<used].withUnsafeBytes { frame.write(contentsOf: $0) }
        frame.endLengthDelimited(start)
        return frame.makeArray()
    }

    private func snapshots(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("large")
        _ = try scene.talk().fill(room, items: count(500_000))
        return {
            let strangers = try (0..<2).map { _ in try scene.gang.add() }
            for stranger in strangers {
                stranger.reads = false
                for _ in 0..<64 {
                    stranger.send(
                        .readSnapshot(ReadSnapshot(request: stranger.nextRequest(), room: room)))
                }
            }
            try scene.gang.run(seconds: 5)
        }
    }

    private func lists(_ scene: AttackScene) throws -> () throws -> Void {
        let talk = try scene.talk()
        let section = Identifier("main")
        for number in 0..<count(10_000) {
            let room = try AttackScene.room("room-\(number)")
            let joined = try talk.join(room, as: "maker")
            let item = Item(id: Identifier("i"), content: ItemContent())
            try talk.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: 1,
                        transaction: ListTransaction(
                            base: 0,
                            operations: [.insert(item, to: Placement(section: section))]))))
            _ = try talk.waitForAck(of: 1)
            try talk.send(.leave(Leave(request: UInt32(100_000 + number), room: joined.handle)))
        }
        return {
            let strangers = try (0..<4).map { _ in try scene.gang.add() }
            for stranger in strangers {
                for _ in 0..<64 {
                    stranger.send(.listRooms(ListRooms(request: stranger.nextRequest())))
                }
            }
            try scene.gang.wait(for: "the lists") {
                strangers.allSatisfy { $0.isClosed || $0.answers.ends + $0.answers.errors >= 64 }
            }
        }
    }

    /// A room with a history that it no longer has in memory.
    private func roomWithPast(_ scene: AttackScene, items: Int) throws -> RoomName {
        let room = try AttackScene.room("past")
        let filler = try scene.talk()
        let (revision, origin) = try filler.fill(room, items: items)
        let talk = try scene.talk()
        let joined = try talk.join(room, as: "editor", from: revision, origin: origin)
        let window = 500
        let edits = count(20_000)
        for number in 0..<edits {
            let field = Field(name: Identifier("title"), value: .text("edit \(number)"))
            try talk.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: UInt64(number + 1),
                        transaction: ListTransaction(
                            base: revision,
                            operations: [
                                .update(
                                    try EngineBenchmark.id(number % items), ItemPatch(set: [field]))
                            ]))))
            if (number + 1) % window == 0 { _ = try talk.waitForAck(of: UInt64(number + 1)) }
        }
        return room
    }

    private func history(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try roomWithPast(scene, items: 1000)
        return {
            let strangers = try (0..<4).map { _ in try scene.gang.add() }
            for stranger in strangers {
                stranger.reads = false
                for _ in 0..<16 {
                    stranger.send(
                        .readHistory(
                            ReadHistory(
                                request: stranger.nextRequest(), room: room, from: 2,
                                everyRevision: true)))
                }
            }
            try scene.gang.run(seconds: 3)
            let talk = try scene.talk()
            let watch = Stopwatch()
            try talk.send(
                .readHistory(ReadHistory(request: 1, room: room, from: 2, until: 50)))
            while true {
                switch try talk.receive() {
                case .done:
                    scene.remarks.append(
                        "an honest read took \(Report.milliseconds(watch.seconds))")
                    return
                case .error(let error):
                    scene.remarks.append("AN HONEST READ IS REFUSED: \(error.text)")
                    return
                default: continue
                }
            }
        }
    }

    private func past(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try roomWithPast(scene, items: count(500_000))
        return {
            let strangers = try (0..<4).map { _ in try scene.gang.add() }
            for stranger in strangers {
                for number in 0..<4 {
                    stranger.send(
                        .readSnapshot(
                            ReadSnapshot(
                                request: stranger.nextRequest(), room: room,
                                revision: Revision(501 + number))))
                }
            }
            try scene.gang.run(seconds: 30) {
                strangers.allSatisfy { $0.isClosed || $0.answers.ends + $0.answers.errors >= 4 }
            }
        }
    }

    private func sections(_ scene: AttackScene) throws -> () throws -> Void {
        let room = try AttackScene.room("sections")
        let stranger = try scene.gang.enter(room, count: 1)[0]
        let text = String(repeating: "x", count: 250_000)
        return { [self] in
            for number in 0..<count(80) {
                let field = Field(name: Identifier("f"), value: .text(text))
                let content = try SectionContent(fields: [field])
                try stranger.submit(
                    [
                        .insertSection(
                            ListSection(id: try Identifier("s\(number)"), content: content),
                            to: Placement())
                    ], base: 0, counter: UInt64(number + 1))
            }
            try scene.waitForAnswers(count(80), of: [stranger])
            let honest = try scene.gang.add(from: 1)
            try honest.join(room, as: "honest")
            honest.send(.readSnapshot(ReadSnapshot(request: honest.nextRequest(), room: room)))
            let isRead = try scene.gang.run(seconds: 20) { honest.answers.ends > 0 }
            scene.remarks.append(isRead ? "the room can be read" : "THE ROOM CAN'T BE READ")
        }
    }
}
