import Glibc
import SyncBytes

/// A member of the bare broadcaster's crowd. Its edits are frames of one size, which begin with its
/// number and a count. All frames are sent to everybody; the member's own ones are its answers.
struct BroadcastMember: CrowdMember {
    /// Including the length.
    static let frameBytes = 60
    private static let headBytes = 9

    private let socket: Socket
    private let number: UInt32
    private let members: Int
    private var written: UInt32 = 0
    private var returned: UInt32 = 0
    private var returnedAtStart: UInt32 = 0
    private(set) var seen = 0
    /// The received part of an incomplete frame.
    private var partial: [UInt8] = []

    /// Enters, and waits for its first frame to come back: then the broadcaster knows the member.
    init(entering socket: Socket, number: Int, of members: Int) throws {
        self.socket = socket
        self.number = UInt32(number)
        self.members = members
        partial.reserveCapacity(BroadcastMember.frameBytes)
        try takeTrip()
    }

    /// Sends a frame, and waits until one has arrived.
    mutating func takeTrip() throws {
        var writer = ByteWriter()
        writeEdit(to: &writer)
        try socket.send(writer.bytes)
        try wait(frames: seen + 1)
    }

    mutating func settle() throws {
        // Members that entered later have sent their first frames, too.
        try wait(frames: members - Int(number))
        seen = 0
        returnedAtStart = returned
    }

    var answered: Int { Int(returned - returnedAtStart) }

    private mutating func wait(frames: Int) throws {
        var memory = [UInt8](repeating: 0, count: BroadcastMember.frameBytes)
        while seen < frames {
            try memory.withUnsafeMutableBytes { try receive(try socket.receive(into: $0)) }
        }
    }

    mutating func writeEdit(to writer: inout ByteWriter) {
        writer.write(byte: UInt8(BroadcastMember.frameBytes - 1))
        writer.write(fixed32: number)
        writer.write(fixed32: written)
        for _ in BroadcastMember.headBytes..<BroadcastMember.frameBytes {
            writer.write(byte: UInt8(ascii: "x"))
        }
        written += 1
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        if !partial.isEmpty {
            let missing = BroadcastMember.frameBytes - partial.count
            partial.append(contentsOf: rest.prefix(missing))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard partial.count == BroadcastMember.frameBytes else { return }
            try partial.withUnsafeBytes { try take($0) }
            partial.removeAll(keepingCapacity: true)
        }
        let whole = rest.count - rest.count % BroadcastMember.frameBytes
        try take(UnsafeRawBufferPointer(rebasing: rest[..<whole]))
        partial.append(contentsOf: rest[whole...])
    }

    /// Counts frames, and looks for the member's own among them, which must arrive in order. A
    /// member that waits for none only counts.
    private mutating func take(_ frames: UnsafeRawBufferPointer) throws {
        seen += frames.count / BroadcastMember.frameBytes
        guard written > returned else { return }
        for offset in stride(from: 0, to: frames.count, by: BroadcastMember.frameBytes) {
            let author = frames.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self)
            guard author == number else { continue }
            let count = frames.loadUnaligned(fromByteOffset: offset + 5, as: UInt32.self)
            guard count == returned else {
                throw BenchError("the broadcaster has sent frame \(count) for \(returned)")
            }
            returned += 1
        }
    }
}
