import SeededRandom
import SyncBytes
import SyncEngine
import SyncModel
import SyncWire
import Testing

/// Batches and snapshots that are too large for one message.
@Suite("Parts")
struct PartsTests {
    @Test("a batch is reassembled from parts of any size", arguments: [UInt64](1...30))
    func batches(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var batch = try generator.batch(stages: 0)
        for _ in 0..<generator.below(4) { batch.stages.append(try generator.stage(atMost: 12)) }
        let partBytes = [1, 100, 400, 1 << 20][generator.below(4)]
        let channel = generator.channel()
        let frames = MessageEncoder().encode(batch, on: channel, partBytes: partBytes)
        #expect(partBytes < 1 << 20 || frames.count == 1)
        var assembler = BatchAssembler()
        for (index, frame) in frames.enumerated() {
            let message = try onlyMessage(frame)
            guard case .batch(let part) = message else { throw NotAPart() }
            #expect(part.channel == channel)
            #expect(part.hasMore == (index < frames.count - 1))
            let whole = try assembler.add(part)
            #expect(whole == (part.hasMore ? nil : batch), "seed \(seed)")
            #expect(MessageEncoder().encode(message).plainArray == frame.plainArray)
        }
    }

    @Test("many deleted sections are split into several parts")
    func packedDeletes() throws {
        var stage = Stage()
        stage.deleteSections = Array(0..<25_000)
        let batch = Batch(from: 1, to: 2, stages: [stage], sections: 1)
        let frames = MessageEncoder().encode(batch, on: .room(1))
        #expect(frames.count == 3)
        var assembler = BatchAssembler()
        var whole: Batch?
        for frame in frames {
            guard case .batch(let part) = try onlyMessage(frame) else { throw NotAPart() }
            whole = try assembler.add(part)
        }
        #expect(whole == batch)
    }

    @Test("a snapshot is reassembled from parts of any size", arguments: [UInt64](1...30))
    func snapshots(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let snapshot = Snapshot(
            revision: generator.revision(),
            sections: try (0..<generator.below(5)).map { _ in
                Snapshot.SectionState(
                    section: try generator.section(), items: try generator.items(atMost: 30))
            })
        let total = snapshot.sections.reduce(0) { $0 + $1.items.count }
        let partBytes = [1, 100, 1000, 1 << 20][generator.below(4)]
        let frames = MessageEncoder().encode(snapshot, on: .request(4), partBytes: partBytes)
        #expect(partBytes < 1 << 20 || frames.count == 1)
        var assembler = SnapshotAssembler()
        for (index, frame) in frames.enumerated() {
            let message = try onlyMessage(frame)
            guard case .snapshot(let part) = message else { throw NotAPart() }
            #expect(part.isFirst == (index == 0) && part.isLast == (index == frames.count - 1))
            #expect(part.totalItems == UInt64(total))
            #expect(try assembler.add(part) == (part.isLast ? snapshot : nil), "seed \(seed)")
            #expect(MessageEncoder().encode(message).plainArray == frame.plainArray)
        }
        #expect(assembler.receivedItems == UInt64(total))
    }

    /// Rooms with large sections, empty sections, and items of any size.
    @Test("a part exceeds its size by one content at most", arguments: [UInt64](1...40))
    func sizes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let largest = [100, 5000, 60_000][generator.below(3)]
        let partBytes = [64, 1000, 20_000][generator.below(3)]
        var sections: [Snapshot.SectionState] = []
        for number in 0..<generator.below(60) {
            sections.append(
                Snapshot.SectionState(
                    section: ListSection(
                        id: try Identifier("s\(number)"),
                        content: try SectionContent(fields: try generator.bulk(atMost: largest))),
                    items: try (0..<generator.below(4)).map { item in
                        Item(
                            id: try Identifier("i\(number)-\(item)"),
                            content: try ItemContent(
                                fields: try generator.bulk(atMost: largest)))
                    }))
        }
        let limit = partBytes + largest + 300
        let snapshot = Snapshot(revision: 7, sections: sections)
        let encoder = MessageEncoder()
        for frame in encoder.encode(snapshot, on: .room(1), partBytes: partBytes) {
            #expect(frame.plain.count <= limit)
        }
        let batch = Batch.difference(from: Snapshot(revision: 6, sections: []), to: snapshot)
        for frame in encoder.encode(batch, on: .room(1), partBytes: partBytes) {
            #expect(frame.plain.count <= limit)
        }
        let rooms = try (0..<generator.below(500)).map { _ in
            RoomList.Entry(
                name: try generator.roomName(), revision: WireProtocol.greatestNumber,
                members: .max)
        }
        var listed: [RoomList.Entry] = []
        for frame in encoder.encode(rooms, partBytes: partBytes) {
            #expect(frame.plain.count <= partBytes + 300)
            guard case .roomList(let list) = try onlyMessage(frame) else { throw NotAPart() }
            listed += list.rooms
            #expect(list.hasMore == (listed.count < rooms.count))
        }
        #expect(listed == rooms)
    }

    @Test("the same bytes answer several requests", arguments: [UInt64](1...10))
    func readdressed(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let snapshot = Snapshot(
            revision: 3,
            sections: [
                Snapshot.SectionState(
                    section: try generator.section(), items: try generator.items(atMost: 90))
            ])
        let deflater = Deflater(thresholdBytes: 0)
        for frame in MessageEncoder().encode(snapshot, on: .room(9)) {
            guard case .snapshot(var expected) = try onlyMessage(frame) else { throw NotAPart() }
            for request in [0, 1, 300, RequestID.max] {
                for deflater in [nil, deflater] {
                    let parts = frame.bytes(by: deflater).parts(answering: request)
                    #expect(parts.count == 2 && parts[0].count <= 16)
                    let bytes = SharedBytes(parts.flatMap(\.array))
                    expected.channel = .request(request)
                    #expect(try MessageDecoder().serverMessages(bytes) == [.snapshot(expected)])
                }
            }
        }
        let ack = MessageEncoder().encode(.done(Done(request: 4)))
        let wrong = SharedBytes(ack.plain.parts(answering: 5).flatMap(\.array))
        #expect(throws: WireError.self) { try MessageDecoder().serverMessages(wrong) }
    }

    @Test("a view's update is the same for all but its head", arguments: [UInt64](1...10))
    func heads(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let deflater = Deflater(thresholdBytes: 0)
        var rests: Set<[UInt8]> = []
        var update = try generator.viewUpdate()
        for _ in 0..<3 {
            update.head = try generator.viewUpdate().head
            let frame = MessageEncoder().encode(.viewUpdate(update))
            for encoder in [nil, deflater] {
                let bytes = frame.bytes(by: encoder)
                #expect(try MessageDecoder().serverMessages(bytes) == [.viewUpdate(update)])
                var reader = ByteReader(bytes.bytes)
                _ = try reader.readVarint()
                let tag = try #require(try reader.readTag())
                #expect(tag.field == 10)
                _ = try reader.readBytes(Int(try reader.readVarint()))
                rests.insert([UInt8](reader.rest))
            }
        }
        #expect(rests.count <= 2, "there is one plain and one deflated form")
    }

    @Test("a part that does not follow is an error")
    func misplaced() throws {
        let piece = SnapshotPart.Piece(section: nil)
        let headless = SnapshotPart(
            channel: .room(1), revision: 4, pieces: [], isFirst: false, isLast: true, totalItems: 0)
        var sectionless = headless
        sectionless.isFirst = true
        sectionless.pieces = [piece]
        for part in [headless, sectionless] {
            var assembler = SnapshotAssembler()
            #expect(throws: WireError.self) { try assembler.add(part) }
        }
        var start = headless
        (start.isFirst, start.isLast) = (true, false)
        var foreign = headless
        foreign.revision = 5
        var assembler = SnapshotAssembler()
        #expect(try assembler.add(start) == nil)
        #expect(throws: WireError.self) { try assembler.add(foreign) }
        let whole = BatchMessage(channel: .room(1), batch: Batch(from: 1, to: 2, sections: 1))
        var first = whole
        first.hasMore = true
        var other = whole
        other.batch.to = 3
        var rest = whole
        rest.isContinued = true
        rest.batch.stages = [Stage()]
        for parts in [[rest], [first, other], [first, rest]] {
            var assembler = BatchAssembler()
            #expect(throws: WireError.self) {
                for part in parts { _ = try assembler.add(part) }
            }
        }
    }

    @Test("what follows a whole batch is another")
    func following() throws {
        var first = BatchMessage(channel: .room(1), batch: Batch(from: 1, to: 2, sections: 1))
        first.hasMore = true
        var last = first
        last.hasMore = false
        var next = last
        (next.batch.from, next.batch.to) = (2, 3)
        var assembler = BatchAssembler()
        for _ in 0..<2 {
            #expect(try assembler.add(first) == nil)
            #expect(try assembler.add(last) == last.batch)
            #expect(assembler.isIdle)
            #expect(try assembler.add(next) == next.batch)
        }
    }

    private struct NotAPart: Error {}

    private func onlyMessage(_ frame: EncodedFrame) throws -> ServerMessage {
        let messages = try MessageDecoder().serverMessages(frame.plain)
        #expect(messages.count == 1)
        return try #require(messages.first)
    }
}

extension SplitMix64 {
    /// One field with a text of a random size up to a limit.
    fileprivate mutating func bulk(atMost bytes: Int) throws -> [Field] {
        let text = String(repeating: "x", count: below(bytes))
        return [Field(name: Identifier("text"), value: .text(text))]
    }
}
