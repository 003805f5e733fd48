import CUV
import Glibc
package import SyncIO

/// A host and a port as the system's calls take them.
struct ResolvedAddress {
    private var storage: sockaddr_storage
    private let length: socklen_t

    /// Copies an address that a system call returned.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        guard length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { memory in
            memory.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
        self.storage = storage
        self.length = length
    }

    /// Lets `fill` (such as `accept`, or `getsockname`) write the address.
    init?(filledBy fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool)
    {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isFilled = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
        }
        guard isFilled else { return nil }
        self.storage = storage
        self.length = length
    }

    var family: Int32 { Int32(storage.ss_family) }

    func withPointer<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The address in numbers.
    var socketAddress: SocketAddress? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let status = withPointer { pointer, length in
            getnameinfo(
                pointer, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard status == 0, let number = UInt16(text(port)) else { return nil }
        return SocketAddress(host: text(host), port: number)
    }

    private func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: Looking up

    /// Asks for stream sockets only. The port is a number, so no service name is looked up.
    static func hints(flags: Int32 = 0) -> addrinfo {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        return hints
    }

    /// Looks the host up in this thread. With the flag `AI_NUMERICHOST` it does not block.
    static func lookUp(_ address: SocketAddress, flags: Int32) throws(LookupError) -> [Self] {
        var hints = hints(flags: flags)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { throw LookupError(text: String(cString: gai_strerror(status))) }
        return all(in: list)
    }

    /// Copies a list that the system has made.
    static func all(in list: UnsafeMutablePointer<addrinfo>?) -> [Self] {
        sequence(first: list) { $0?.pointee.ai_next }
            .prefix { $0 != nil }
            .compactMap { entry in
                guard let entry, let address = entry.pointee.ai_addr else { return nil }
                return ResolvedAddress(address, length: entry.pointee.ai_addrlen)
            }
    }
}

extension LoopPlatform {
    /// The addresses of a host. A host name is looked up in this thread.
    package static func lookUp(_ address: SocketAddress) throws(IOError) -> [SocketAddress] {
        do throws(LookupError) {
            return try ResolvedAddress.lookUp(address, flags: AI_PASSIVE).compactMap(
                \.socketAddress)
        } catch {
            throw .system("cannot listen on \(address): \(error.text)")
        }
    }
}

/// The system knows no such host.
struct LookupError: Error {
    let text: String
}
