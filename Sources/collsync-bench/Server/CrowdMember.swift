import SyncBytes

/// One connection of a ``Crowd``: how it talks to a kind of server.
///
/// It reads only as much of a stream as it needs to count edits, so that the generator does little
/// besides the system's own work of moving bytes.
protocol CrowdMember {
    /// Whether it is to see all edits; if not, it only writes.
    var reads: Bool { get }
    /// How many edits of all members have reached this one since it settled.
    var seen: Int { get }
    /// How many of its own edits were answered.
    var answered: Int { get }
    /// How many times it fell so far behind that it received a snapshot.
    var snapshots: Int { get }

    /// Called when all members are connected. It reads what that caused, and starts counting. The
    /// socket is blocking.
    mutating func settle() throws

    /// Appends its next edit to the output.
    mutating func writeEdit(to writer: inout ByteWriter)

    /// Appends a heartbeat.
    func writeSignOfLife(to writer: inout ByteWriter)

    /// Handles received bytes.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws
}

extension CrowdMember {
    var reads: Bool { true }
    var snapshots: Int { 0 }

    func writeSignOfLife(to writer: inout ByteWriter) {}
}
