import SyncBytes

/// One connection of a ``Crowd``: what it says to a kind of server, and what it makes of what
/// comes.
///
/// It looks at no more of a stream than it takes to know that every edit has come, so that the
/// generator has little to do beside the system's own work of moving the bytes.
protocol CrowdMember {
    /// Whether it is to see all edits; one that does not only writes.
    var reads: Bool { get }
    /// How many edits, of all members, have come to this one since it settled.
    var seen: Int { get }
    /// How many of its own edits were answered.
    var answered: Int { get }
    /// How often it fell so far behind that it was sent all there is.
    var snapshots: Int { get }

    /// All members are there: takes what came of that, and counts from here. The socket waits.
    mutating func settle() throws

    /// Adds its next edit to what is to be sent.
    mutating func writeEdit(to writer: inout ByteWriter)

    /// Adds what it says now and then for no other reason than to be known to be there.
    func writeSignOfLife(to writer: inout ByteWriter)

    /// Takes what has come.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws
}

extension CrowdMember {
    var reads: Bool { true }
    var snapshots: Int { 0 }

    func writeSignOfLife(to writer: inout ByteWriter) {}
}
