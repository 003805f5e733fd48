import Glibc
package import SyncIO

extension SocketAddress {
    /// Whether only this machine can reach it. A name other than `localhost` may be anyone's.
    package var isLoopback: Bool {
        if host.lowercased() == "localhost" { return true }
        var version4 = in_addr()
        if inet_pton(AF_INET, host, &version4) == 1 {
            return UInt32(bigEndian: version4.s_addr) >> 24 == 127
        }
        var version6 = in6_addr()
        guard inet_pton(AF_INET6, host, &version6) == 1 else { return false }
        return withUnsafeBytes(of: &version6) {
            $0.dropLast().allSatisfy { $0 == 0 } && $0[15] == 1
        }
    }
}
