import SyncBytes
import SyncLayout
import SyncModel
import SyncWire

/// A connection with one open view that only reads. It reads the heads of frames: it checks that
/// updates follow each other, and learns their revisions.
struct Viewer {
    let socket: Socket
    private var skimmer = FrameSkimmer()
    private var last: (number: UInt64, revision: Revision)
    /// The revision of its screen.
    var revision: Revision { last.revision }

    /// Joins a room, and waits until its screen is filled.
    init(entering socket: Socket, number: Int, layout: ViewLayout, at y: Double) throws {
        self.socket = socket
        let talk = Talk(socket)
        try talk.hello()
        let view = try TalkView(talk, as: "viewer-\(number)")
        try view.open(layout, at: y)
        try view.takeRest()
        last = view.last
    }

    /// Reads bytes, and calls `body` for each update with the revisions before and after it.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ body: (Revision, Revision) -> Void
    ) throws {
        var last = last
        try skimmer.skim(bytes) { head in
            guard let update = try Viewer.update(in: head) else { return }
            guard update.number == last.number + 1, update.revision >= last.revision else {
                throw BenchError("update \(update.number) comes behind \(last.number)")
            }
            body(last.revision, update.revision)
            last = update
        }
        self.last = last
    }

    /// The number and the revision of an update, from its head; `nil` for a heartbeat.
    static func update(
        in head: UnsafeRawBufferPointer
    ) throws -> (number: UInt64, revision: Revision)? {
        var reader = ByteReader(head)
        guard let (frame, _) = try reader.readTag() else { return nil }
        if frame == FrameField.heartbeat { return nil }
        guard frame == FrameField.viewHead else {
            throw BenchError("the server says something unexpected, message \(frame)")
        }
        var number: UInt64 = 0
        var rest = ByteReader(try reader.readBytes(Int(clamping: try reader.readVarint())))
        while let (field, type) = try rest.readTag() {
            if field == UpdateField.number {
                number = try rest.readVarint()
            } else {
                try rest.skip(type)
            }
        }
        _ = try reader.readTag()
        _ = try reader.readVarint()
        while let (field, type) = try reader.readTag() {
            if field == UpdateField.revision { return (number, try reader.readVarint()) }
            try reader.skip(type)
        }
        throw BenchError("an update does not say which revision it shows")
    }

    // Field numbers of the protocol.
    private enum FrameField {
        static let heartbeat = 6
        static let viewHead = 10
    }

    private enum UpdateField {
        /// In the head of the update.
        static let number = 3
        /// After the head.
        static let revision = 2
    }
}
