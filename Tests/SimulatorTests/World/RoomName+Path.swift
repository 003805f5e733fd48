import SyncModel

extension RoomName {
    /// The name in the path of a request, each byte percent-encoded.
    var pathSegment: String {
        withBytes { bytes in
            bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
