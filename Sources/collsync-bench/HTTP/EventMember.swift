import SyncBytes
import SyncModel

/// A client of a room that gets server-sent events, or one that writes, by a plain connection.
struct EventMember: CrowdMember {
    private var listener: EventListener?
    private var writer: CollsyncMember?

    init(_ listener: EventListener) {
        self.listener = listener
    }

    init(writer: CollsyncMember) {
        self.writer = writer
    }

    var seen: Int { listener?.seen ?? writer?.seen ?? 0 }
    var answered: Int { writer?.answered ?? 0 }
    var snapshots: Int { listener?.snapshots ?? writer?.snapshots ?? 0 }

    mutating func settle() {}

    mutating func writeEdit(to output: inout ByteWriter) {
        writer?.writeEdit(to: &output)
    }

    func writeSignOfLife(to output: inout ByteWriter) {
        writer?.writeSignOfLife(to: &output)
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        try listener?.receive(bytes)
        try writer?.receive(bytes)
    }
}

/// Reads the heads of a room's server-sent events, plain or compressed. A compressed event begins
/// with its id as it is, and the rest is skipped.
struct EventListener {
    private let room: CollsyncMember.Room
    private let isCompressed: Bool
    private var skimmer = HeadSkimmer<ChunkCut>()
    private var progress: LineProgress

    init(entering socket: Socket, room: CollsyncMember.Room, compressed: Bool) throws {
        self.room = room
        isCompressed = compressed
        progress = LineProgress(at: room.revision)
        let received = try socket.get(
            "/v1/rooms/\(room.name.text)/stream?from=\(room.revision)",
            compressed ? ["Accept-Encoding: gzip"] : [], expecting: 200)
        try received.withUnsafeBytes { try receive($0) }
    }

    var seen: Int { Int(progress.complete - room.revision) }
    var snapshots: Int { progress.snapshots }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        var progress = progress
        try skimmer.skim(bytes) { bytes in
            // A new chunk means that the one before is complete.
            progress.didEnd()
            if isCompressed {
                try EventListener.readCompressed(bytes, &progress)
            } else {
                try EventListener.readPlain(bytes, &progress)
            }
        }
        if skimmer.isAtBoundary { progress.didEnd() }
        self.progress = progress
    }

    private static func readPlain(
        _ bytes: UnsafeRawBufferPointer, _ progress: inout LineProgress
    ) throws {
        var head = LineHead(bytes)
        if head.skip("event: "), !head.skip(through: UInt8(ascii: "\n")) { return }
        // Other chunks are comments, or further parts of a long event.
        guard head.skip("id: "), head.skip(through: UInt8(ascii: "\n")), head.skip("data: ")
        else { return }
        try progress.take(head.rest)
    }

    private static func readCompressed(
        _ bytes: UnsafeRawBufferPointer, _ progress: inout LineProgress
    ) throws {
        // A block of gzip whose text is stored has five bytes before that.
        var head = LineHead(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(5)))
        let isSnapshot = head.skip("event: snapshot\n")
        guard head.skip("id: ") else { return }
        // The revision ends the id.
        guard head.skip(through: UInt8(ascii: ".")), let revision = head.number() else {
            throw BenchError("an event has no revision")
        }
        // An id without an event says where the client begins.
        if head.skip("\n\n") { return }
        try progress.take(revision, isSnapshot: isSnapshot)
    }
}

/// The chunks of a response, behind their lengths.
enum ChunkCut: FrameCut {
    static let headBytes = 192
    static let prefixBytes = 18

    static func measure(_ bytes: UnsafeRawBufferPointer) throws -> (offset: Int, count: Int)? {
        guard let end = bytes.prefix(prefixBytes).firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let digits = String(decoding: bytes[..<max(0, end - 1)], as: UTF8.self)
        guard let count = Int(digits, radix: 16), count > 0 else {
            throw BenchError("the server ends a response")
        }
        return (end + 1, count + 2)
    }
}
