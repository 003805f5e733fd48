extension SocketAddress {
    /// Whether only this machine can reach it. A name other than `localhost` may be anyone's.
    package var isLoopback: Bool {
        host.lowercased() == "localhost" || isLoopbackOfVersion4 || isLoopbackOfVersion6
    }

    /// Whether it is 127.x.y.z, with four numbers from 0 to 255 and without leading zeros.
    private var isLoopbackOfVersion4: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
    }

    /// Whether it is `::1` in any spelling of its eight groups.
    private var isLoopbackOfVersion6: Bool {
        let groups = host.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = groups.last, last.utf8.count <= 4, UInt16(last, radix: 16) == 1,
            !last.hasPrefix("+")
        else { return false }
        let before = groups.dropLast()
        let zeros = before.filter { !$0.isEmpty }
        guard zeros.allSatisfy({ $0.utf8.count <= 4 && $0.utf8.allSatisfy { $0 == 0x30 } })
        else { return false }
        // One run of zeros may be left out: at the start two empty groups stand for it, else one.
        switch before.count - zeros.count {
        case 0: return before.count == 7
        case 1: return before.first?.isEmpty == false && zeros.count <= 6
        case 2: return before[0].isEmpty && before[1].isEmpty && zeros.count <= 6
        default: return false
        }
    }
}
