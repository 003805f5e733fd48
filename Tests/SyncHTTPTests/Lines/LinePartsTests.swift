import SeededRandom
import SyncBytes
import SyncJSON
import SyncModel
import SyncWire
import Testing

@testable import SyncHTTP

/// Batches and snapshots in parts, as text that is made of each part once, and joined.
@Suite("Parts of lines")
struct LinePartsTests {
    @Test("the parts of a batch are joined to its line", arguments: [UInt64](1...400))
    func batches(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let batch = try generator.lineBatch()
        let frames = MessageEncoder().encode(
            batch, on: .room(3), partBytes: [1, 30, 100, 1 << 20][generator.below(4)])
        var joiner = LineJoiner(room: "r")
        // Two in a row: the second one must not depend on the first.
        for _ in 0..<2 {
            let joined = try join(frames, by: &joiner)
            #expect(joined == [text(of: .batch(batch))], "seed \(seed)")
        }
    }

    @Test("the parts of a snapshot are joined to its line", arguments: [UInt64](1...400))
    func snapshots(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let snapshot = try generator.lineSnapshot()
        let frames = MessageEncoder().encode(
            snapshot, on: .room(3), partBytes: [1, 30, 100, 1 << 20][generator.below(4)])
        var joiner = LineJoiner(room: "a \"room\"")
        for _ in 0..<2 {
            let joined = try join(frames, by: &joiner)
            #expect(
                joined == [text(of: .snapshot(room: "a \"room\"", snapshot))], "seed \(seed)")
        }
    }

    /// Other servers may cut batches otherwise than this one: empty parts, stages that are empty so
    /// far, nothing but the end.
    @Test("parts of any cut are joined", arguments: [UInt64](1...400))
    func oddCuts(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var assembler = BatchAssembler()
        var joiner = LineJoiner(room: "r")
        var joined: [UInt8] = []
        var whole: Batch?
        let batch = try generator.lineBatch()
        for message in try generator.oddParts(of: batch) {
            whole = try assembler.add(message)
            let frame = try #require(LineEncoder().encode(message))
            joined += try piece(of: frame, by: &joiner).text
        }
        let expected = try #require(whole)
        #expect(String(decoding: joined, as: UTF8.self) == text(of: .batch(expected)))
        #expect(!joiner.isWithinLine)
    }

    @Test("a part that does not follow is an error")
    func misplaced() throws {
        var stage = Stage()
        stage.deletes = [ItemPath(section: 0, item: 0)]
        let whole = BatchMessage(
            channel: .room(1), batch: Batch(from: 1, to: 2, stages: [stage], sections: 1))
        var first = whole
        first.hasMore = true
        var other = whole
        other.batch.to = 3
        var rest = whole
        rest.isContinued = true
        var counted = first
        counted.batch.counts = [SectionCount(section: 0, items: 1)]
        let line = ServerMessage.nearLimit(NearLimit(room: 1, QuotaUse(.items, used: 1, limit: 2)))
        let begun = SnapshotPart(
            channel: .room(1), revision: 4, pieces: [], isFirst: true, isLast: false, totalItems: 0)
        var continued = begun
        continued.isFirst = false
        continued.pieces = [SnapshotPart.Piece(section: nil)]
        var foreign = begun
        (foreign.isFirst, foreign.revision) = (false, 5)
        let sequences: [[ServerMessage]] = [
            [.batch(rest)], [.batch(first), .batch(other)], [.batch(first), line],
            [.batch(counted), .batch(whole)], [.snapshot(begun), .snapshot(begun)],
            [.snapshot(begun), .snapshot(continued)], [.snapshot(begun), .snapshot(foreign)],
            [.snapshot(begun), .batch(whole)], [.batch(first), .snapshot(begun)],
            [.snapshot(foreign)],
        ]
        for messages in sequences {
            var joiner = LineJoiner(room: "r")
            #expect(throws: LineJoiner.MisplacedPart.self, "\(messages)") {
                for message in messages {
                    let frame = try #require(LineEncoder().encode(message))
                    _ = try piece(of: frame, by: &joiner)
                }
            }
        }
    }

    @Test("a text that is much longer than its frame stays plain")
    func growth() throws {
        let moves = (0..<1000).map { _ in
            Stage.ItemMove(
                from: ItemPath(section: 0, item: 0), to: ItemPath(section: 0, item: 0))
        }
        var stage = Stage()
        stage.moves = moves
        let batch = Batch(from: 1, to: 2, stages: [stage], sections: 1)
        let frame = MessageEncoder().encode(batch, on: .room(1))[0]
        #expect(frame.bytes(by: LineEncoder()) === frame.plain)
    }

    @Test("no reader of a connection's frames knows the text of a message")
    func unknownToOthers() throws {
        let message = ServerMessage.nearLimit(
            NearLimit(room: 1, QuotaUse(.items, used: 1, limit: 2)))
        let frame = try #require(LineEncoder().encode(message))
        let body = UnsafeRawBufferPointer(rebasing: frame.bytes[1...])
        #expect(throws: WireError.unknownMessage(44)) {
            try MessageDecoder().serverMessage(body)
        }
        #expect(throws: WireError.unknownMessage(44)) {
            try MessageDecoder().clientMessage(body)
        }
    }

    @Test("text that answers a request is found behind the request")
    func answers() throws {
        let batch = Batch(from: 1, to: 2, stages: [], sections: 1)
        let frame = MessageEncoder().encode(batch, on: .room(1))[0].bytes(by: LineEncoder())
        let answer = SharedBytes(frame.parts(answering: 70_000).flatMap(\.array))
        var joiner = LineJoiner(room: "r")
        let joined = try piece(of: answer, by: &joiner)
        #expect(String(decoding: joined.text, as: UTF8.self) == text(of: .batch(batch)))
    }
}

extension LinePartsTests {
    /// The lines of frames.
    private func join(_ frames: [EncodedFrame], by joiner: inout LineJoiner) throws -> [String] {
        let encoder = LineEncoder()
        var lines: [String] = []
        var line: [UInt8] = []
        for frame in frames {
            let bytes = frame.bytes(by: encoder)
            try #require(bytes !== frame.plain)
            let joined = try piece(of: bytes, by: &joiner)
            line += joined.text
            #expect(joined.endsLine == !joiner.isWithinLine)
            if joined.endsLine {
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            }
        }
        #expect(line.isEmpty)
        return lines
    }

    private func piece(
        of frame: SharedBytes, by joiner: inout LineJoiner
    ) throws -> (text: [UInt8], endsLine: Bool) {
        var reader = ByteReader(frame.bytes)
        let count = Int(try reader.readVarint())
        try #require(reader.count == count)
        let read = try #require(LineFrame(reader.rest, at: frame.count - count))
        let piece = try joiner.add(read.part, ofBytes: frame.count - read.textOffset)
        return (piece.before + frame.array[(read.textOffset + piece.offset)...], piece.endsLine)
    }
}

/// The text of a line, as it is written at once.
func text(of line: ServerLine) -> String {
    var writer = JSONWriter()
    writer.write(line)
    return String(decoding: writer.bytes, as: UTF8.self)
}

extension LineEncoder {
    /// The frame of a message.
    func encode(_ message: ServerMessage) -> SharedBytes? {
        let frame = MessageEncoder().encode(message)
        let bytes = frame.bytes(by: self)
        return bytes === frame.plain ? nil : bytes
    }

    func encode(_ message: BatchMessage) -> SharedBytes? { encode(.batch(message)) }
}
