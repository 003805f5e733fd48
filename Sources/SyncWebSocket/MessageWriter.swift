import Glibc
import SyncBytes

/// Makes frames of what is written. It does no I/O.
struct MessageWriter {
    private let kind: WebSocketProtocol
    /// Makes the mask of a frame; `nil` for a server, whose frames have none. A server's frames are
    /// not copied.
    private let makeMask: (() -> UInt32)?
    /// Whether a message has begun, and its last frame has not.
    private var isInMessage = false

    init(_ kind: WebSocketProtocol, makeMask: (() -> UInt32)?) {
        self.kind = kind
        self.makeMask = makeMask
    }

    /// The frames of a write.
    mutating func frames(of parts: [SharedBytes]) -> [SharedBytes] {
        switch kind {
        case .bytes:
            let parts = parts.filter { $0.count > 0 }
            return parts.isEmpty ? [] : frame(.binary, parts)
        case .lines: return framesOfLines(parts)
        }
    }

    /// Makes a message of each line. A line that does not end here goes on in the next write.
    private mutating func framesOfLines(_ parts: [SharedBytes]) -> [SharedBytes] {
        var frames: [SharedBytes] = []
        var line: [SharedBytes] = []
        for part in parts {
            var start = 0
            while start < part.count {
                let newline = MessageWriter.newline(in: part, from: start)
                let end = newline ?? part.count
                if end > start {
                    let isWhole = start == 0 && end == part.count
                    line.append(isWhole ? part : SharedBytes(partOf: part, start..<end))
                }
                start = end
                guard newline != nil else { continue }
                start += 1
                frames += frame(isInMessage ? .continuation : .text, line)
                isInMessage = false
                line = []
            }
        }
        if line.isEmpty { return frames }
        frames += frame(isInMessage ? .continuation : .text, line, isFinal: false)
        isInMessage = true
        return frames
    }

    private static func newline(in part: SharedBytes, from start: Int) -> Int? {
        part.withBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// A closing frame with a code and a reason of at most 123 bytes, or without both.
    func close(_ code: UInt16?, _ reason: String = "") -> [SharedBytes] {
        guard let code else { return frame(.close, []) }
        let data = [UInt8(code >> 8), UInt8(code & 0xFF)] + reason.utf8
        return frame(.close, [SharedBytes(Array(data.prefix(Opcode.maximumControlBytes)))])
    }

    /// A ping, without data.
    func ping() -> [SharedBytes] { frame(.ping, []) }

    /// The answer to a ping.
    func pong(_ data: [UInt8]) -> [SharedBytes] {
        frame(.pong, data.isEmpty ? [] : [SharedBytes(data)])
    }

    // MARK: Frames

    private func frame(
        _ opcode: Opcode, _ parts: [SharedBytes], isFinal: Bool = true
    ) -> [SharedBytes] {
        let header = FrameHeader(
            opcode, dataBytes: parts.reduce(0) { $0 + $1.count }, isFinal: isFinal,
            mask: makeMask?())
        guard let mask = header.mask else {
            return [SharedBytes(count: header.byteCount) { header.write(to: $0) }] + parts
        }
        let masked = SharedBytes(count: header.byteCount + header.dataBytes) { memory in
            header.write(to: memory)
            var position = 0
            for part in parts {
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: memory[(header.byteCount + position)...])
                part.withBytes { MessageWriter.mask($0, mask, at: position, to: target) }
                position += part.count
            }
        }
        return [masked]
    }

    /// Masks data, eight bytes together.
    ///
    /// - Parameters:
    ///   - mask: its bytes are applied in turn, the lowest first.
    ///   - position: where in the frame the data are.
    private static func mask(
        _ data: UnsafeRawBufferPointer, _ mask: UInt32, at position: Int,
        to target: UnsafeMutableRawBufferPointer
    ) {
        let shift = UInt32(position & 3) * 8
        let turned = UInt64(mask >> shift | mask << (32 - shift))
        let wide = turned | turned << 32
        var index = 0
        while index + 8 <= data.count {
            let word = UInt64(
                littleEndian: data.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            target.storeBytes(
                of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < data.count {
            target[index] = data[index] ^ UInt8(truncatingIfNeeded: wide >> (8 * (index & 7)))
            index += 1
        }
    }
}
