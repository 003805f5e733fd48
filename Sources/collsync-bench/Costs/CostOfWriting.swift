import Glibc
import SyncRoom

/// Measures the work of writing to a loopback connection whose other end reads everything.
struct CostOfWriting {
    let count: Int

    func nanoseconds(of cost: WorkCost) throws -> Double {
        let pair = try LoopbackPair()
        let few = [UInt8](repeating: 1, count: 64)
        let many = [UInt8](repeating: 1, count: 256 << 10)
        switch cost {
        case .write: return try pair.time(few, times: 1 + count / 10)
        case .writtenBytes:
            let times = 1 + count / 200
            let all = try pair.time(many, times: times) - pair.time(few, times: times)
            return all / Double(many.count)
        default: throw BenchError("\(cost) is no writing")
        }
    }
}

/// Two ends of a TCP connection.
private final class LoopbackPair {
    private let writer: Socket
    private let reader: Int32

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isOpen else { throw BenchError("cannot listen on loopback") }
        writer = try Socket(port: UInt16(bigEndian: address.sin_port))
        reader = accept(listener, nil, nil)
        guard reader >= 0 else { throw BenchError("cannot accept on loopback") }
    }

    deinit {
        close(reader)
    }

    /// The time of a write, in nanoseconds. The bytes are read between the writes.
    func time(_ bytes: [UInt8], times: Int) throws -> Double {
        var memory = [UInt8](repeating: 0, count: 1 << 20)
        var seconds = 0.0
        for _ in 0..<times {
            var sent = 0
            while sent < bytes.count {
                let watch = Stopwatch()
                let count = try bytes.withUnsafeBytes {
                    try writer.sendSome(UnsafeRawBufferPointer(rebasing: $0[sent...]))
                }
                seconds += watch.seconds
                sent += count
                var taken = 0
                while taken < count {
                    let read = recv(reader, &memory, memory.count, 0)
                    guard read > 0 else { throw BenchError("loopback loses bytes") }
                    taken += read
                }
            }
        }
        return seconds * 1e9 / Double(times)
    }
}
