import Glibc
import SyncBytes

extension SharedBytes {
    /// Whether both hold the same bytes.
    func holdsSame(as other: SharedBytes) -> Bool {
        guard count == other.count, let bytes = bytes.baseAddress,
            let others = other.bytes.baseAddress
        else { return count == 0 && other.count == 0 }
        return memcmp(bytes, others, count) == 0
    }
}
