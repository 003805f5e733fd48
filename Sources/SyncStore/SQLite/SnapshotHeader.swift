/// A snapshot's row: all of it but the body.
struct SnapshotHeader: Equatable {
    var sequence: UInt64
    var revision: UInt64
    var wallClockMilliseconds: UInt64
    var size: UInt64
    var storedBytes: UInt64
    var bodyChecksum: UInt32
}
