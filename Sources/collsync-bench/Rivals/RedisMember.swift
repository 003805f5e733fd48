import SyncBytes

/// A connection to Redis, which either adds to a stream or reads it. While a connection waits for
/// entries, it accepts no other command.
struct RedisMember: CrowdMember {
    private static let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 44)
    private static let entriesPerRead = 1000

    private let socket: Socket
    let reads: Bool
    private(set) var seen = 0
    private(set) var answered = 0
    private var reply: [UInt8] = []

    init(entering socket: Socket, reads: Bool) throws {
        self.socket = socket
        self.reads = reads
    }

    mutating func settle() throws {
        if reads { try read(after: "0") }
    }

    mutating func writeEdit(to writer: inout ByteWriter) {
        writer.write(utf8Of: "*5\r\n$4\r\nXADD\r\n$1\r\ns\r\n$1\r\n*\r\n$1\r\ne\r\n$44\r\n")
        writer.write(contentsOf: RedisMember.payload)
        writer.write(utf8Of: "\r\n")
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        reply.append(contentsOf: bytes)
        var used = 0
        var lastEntry: String?
        try reply.withUnsafeBytes { bytes in
            var parser = RedisReply(bytes)
            while let value = try parser.next() {
                used = parser.offset
                // The answer to XADD is an entry's id; the answer to XREAD is a list of streams,
                // each with its entries.
                if !reads {
                    answered += 1
                } else if let entries = value.list?.first?.list?.last?.list {
                    seen += entries.count
                    lastEntry = entries.last?.list?.first?.text
                }
            }
        }
        reply.removeFirst(used)
        if let lastEntry { try read(after: lastEntry) }
    }

    private func read(after entry: String) throws {
        let count = "\(RedisMember.entriesPerRead)"
        var command = "*8\r\n"
        for word in ["XREAD", "COUNT", count, "BLOCK", "0", "STREAMS", "s", entry] {
            command += "$\(word.utf8.count)\r\n\(word)\r\n"
        }
        try command.withUTF8 { try socket.send(UnsafeRawBufferPointer($0)) }
    }
}

/// The answers of Redis, one value after the other.
struct RedisReply {
    enum Value {
        case text(Range<Int>, of: UnsafeRawBufferPointer)
        case list([Value])

        var list: [Value]? {
            if case .list(let values) = self { values } else { nil }
        }

        var text: String? {
            guard case .text(let range, let bytes) = self else { return nil }
            return String(utf8: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next value; `nil` if it is not complete yet.
    mutating func next() throws -> Value? {
        let start = offset
        if let value = try value() { return value }
        offset = start
        return nil
    }

    private mutating func value() throws -> Value? {
        guard let line = line(), let kind = line.first else { return nil }
        let rest = line.dropFirst()
        switch kind {
        case UInt8(ascii: "$"):
            let count = RedisReply.number(rest)
            guard offset + count + 2 <= bytes.count else { return nil }
            defer { offset += count + 2 }
            return .text(offset..<(offset + count), of: bytes)
        case UInt8(ascii: "*"):
            var values: [Value] = []
            for _ in 0..<RedisReply.number(rest) {
                guard let value = try value() else { return nil }
                values.append(value)
            }
            return .list(values)
        case UInt8(ascii: "+"), UInt8(ascii: ":"):
            return .text(rest.startIndex..<rest.endIndex, of: bytes)
        default: throw BenchError("Redis says '\(String(decoding: line, as: UTF8.self))'")
        }
    }

    private mutating func line() -> Slice<UnsafeRawBufferPointer>? {
        guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\r")), end + 1 < bytes.count
        else { return nil }
        defer { offset = end + 2 }
        return bytes[offset..<end]
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
    }
}
