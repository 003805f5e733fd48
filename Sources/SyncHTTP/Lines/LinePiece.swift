package import SyncBytes
import SyncJSON
import SyncWire

/// A piece of an output line. Most lines are one piece; a large batch or snapshot has many, which
/// come as their connection takes them. Nothing else stands between the pieces of a line.
package struct LinePiece: Sendable {
    package let bytes: SharedBytes
    package let beginsLine: Bool
    package let endsLine: Bool

    package init(_ bytes: SharedBytes, beginsLine: Bool = true, endsLine: Bool = true) {
        self.bytes = bytes
        self.beginsLine = beginsLine
        self.endsLine = endsLine
    }
}

/// What all members of a loop use to write, one after the other, so that none needs memory for it.
package final class LineWorkspace {
    // No two accesses overlap.
    @exclusivity(unchecked) var writer = JSONWriter()
    @exclusivity(unchecked) private var frame = ByteWriter(capacity: 512)

    /// A writer of more bytes frees them.
    private static let retainedBytes = 256 << 10

    package init() {}

    /// Appends the frame of a message, unless that is longer than `limit`.
    func append(_ message: ClientMessage, to frames: inout [UInt8], atMost limit: Int) -> Bool {
        frame.reset()
        frame.writeFrame(message)
        defer { if frame.count > LineWorkspace.retainedBytes { frame = ByteWriter(capacity: 512) } }
        guard frame.count <= limit else { return false }
        frames.append(contentsOf: frame.bytes)
        return true
    }

    /// The text of a line.
    func text(of line: ServerLine) -> SharedBytes {
        writer.startOver()
        writer.write(line)
        defer { freeLargeMemory() }
        return SharedBytes(copying: writer.bytes)
    }

    /// Frees what an unusually long text has left behind.
    func freeLargeMemory() {
        if writer.count > LineWorkspace.retainedBytes { writer = JSONWriter() }
    }
}
