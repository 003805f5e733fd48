import SyncBytes
import SyncModel

/// A member of a collsync room that speaks in lines of JSON over a WebSocket. Like
/// ``CollsyncMember`` it only reads the heads of messages.
struct JSONMember: CrowdMember {
    /// What the members of a room share.
    struct Room {
        let room: CollsyncMember.Room
        /// The edits of the room's pool, as lines.
        let lines: [[UInt8]]

        init(_ room: CollsyncMember.Room, items: Int) throws {
            self.room = room
            lines = try EditPool.operations(items: items, seed: 1).map {
                Array(try JSONMember.line(of: $0).utf8)
            }
        }
    }

    private let room: Room
    private var nextEdit: Int
    private var skimmer = HeadSkimmer<WebSocketCut>()
    private var progress: LineProgress
    /// Whether the frame under way ends its message.
    private var isFinal = true

    init(entering socket: Socket, number: Int, room: Room) throws {
        self.room = room
        nextEdit = number * 1009 % room.lines.count
        progress = LineProgress(at: room.room.revision)
        let (revision, origin) = (room.room.revision, room.room.origin)
        let received = try socket.openWebSocket(
            "/v1/ws?room=\(room.room.name.text)&from=\(revision)&id=\(origin.room)"
                + "&epoch=\(origin.epoch)", "collsync.v1.json")
        try received.withUnsafeBytes { try receive($0) }
    }

    mutating func settle() {}

    var seen: Int { Int(progress.complete - room.room.revision) }
    var answered: Int { progress.answered }
    var snapshots: Int { progress.snapshots }

    // MARK: Writing

    mutating func writeEdit(to writer: inout ByteWriter) {
        let line = room.lines[nextEdit]
        writer.writeFrameHeader(WebSocketOpcode.text, dataBytes: line.count)
        writer.write(contentsOf: line)
        nextEdit = (nextEdit + 1) % room.lines.count
    }

    /// A line without anything in it.
    func writeSignOfLife(to writer: inout ByteWriter) {
        writer.writeFrameHeader(WebSocketOpcode.text, dataBytes: 0)
    }

    /// The line of an edit. It has no base: that is what the server has sent last.
    private static func line(of operation: ListOperation) throws -> String {
        switch operation {
        case .update(let id, let patch):
            guard let field = patch.set.first, case .text(let text) = field.value else { break }
            return #"{"ops":[{"update":{"id":"\#(id.text)","set":{"\#(field.name.text)":"#
                + #""\#(text)"}}}]}"#
        case .move(let id, let place):
            guard let section = place.section, case .after(let other) = place.position else {
                break
            }
            return #"{"ops":[{"move":{"id":"\#(id.text)","to":{"section":"\#(section.text)","#
                + #""after":"\#(other.text)"}}}]}"#
        default: break
        }
        throw BenchError("an edit of the pool has no line")
    }

    // MARK: Reading

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        var (progress, isFinal) = (progress, isFinal)
        try skimmer.skim(bytes) { head in
            // A new frame means that the frame before is complete.
            if isFinal { progress.didEnd() }
            guard let header = WebSocketHeader(head) else { return }
            isFinal = header.isFinal
            switch header.opcode {
            case WebSocketOpcode.text:
                try progress.take(UnsafeRawBufferPointer(rebasing: head[header.byteCount...]))
            case WebSocketOpcode.continuation, WebSocketOpcode.ping: break
            default: throw BenchError("the server closes a WebSocket")
            }
        }
        if isFinal, skimmer.isAtBoundary { progress.didEnd() }
        (self.progress, self.isFinal) = (progress, isFinal)
    }
}

/// The frames of a WebSocket, with their headers.
enum WebSocketCut: FrameCut {
    static let headBytes = 96
    static let prefixBytes = 0

    static func measure(_ bytes: UnsafeRawBufferPointer) -> (offset: Int, count: Int)? {
        WebSocketHeader(bytes).map { (0, $0.byteCount + $0.dataBytes) }
    }
}
