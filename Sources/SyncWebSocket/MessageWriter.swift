import SyncBytes

/// Makes frames of what is written. It does no I/O.
struct MessageWriter {
    private let kind: WebSocketProtocol
    /// Makes the mask of a frame; `nil` for a server, whose frames have none. What is long in a
    /// server's frames is not copied.
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
            let count = parts.reduce(0) { $0 + $1.count }
            return count == 0 ? [] : frame(.binary, parts)
        case .lines:
            var output = GatheredParts()
            writeLines(parts, to: &output)
            return output.take()
        }
    }

    /// Makes a message of each line. A line that does not end here goes on in the next write.
    private mutating func writeLines(_ parts: [SharedBytes], to output: inout GatheredParts) {
        var line: [Slice] = []
        for part in parts {
            var start = 0
            while start < part.count {
                let newline = MessageWriter.newline(in: part, from: start)
                let end = newline ?? part.count
                if end > start { line.append(Slice(part, start..<end)) }
                start = end
                guard newline != nil else { continue }
                start += 1
                write(isInMessage ? .continuation : .text, line, to: &output)
                isInMessage = false
                line.removeAll(keepingCapacity: true)
            }
        }
        if line.isEmpty { return }
        write(isInMessage ? .continuation : .text, line, isFinal: false, to: &output)
        isInMessage = true
    }

    private static func newline(in part: SharedBytes, from start: Int) -> Int? {
        part.withBytes { $0.firstNewline(from: start) }
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

    private func frame(_ opcode: Opcode, _ parts: [SharedBytes]) -> [SharedBytes] {
        if makeMask == nil, let frame = shortFrame(opcode, parts) { return [frame] }
        var output = GatheredParts()
        write(opcode, parts.map { Slice($0, 0..<$0.count) }, to: &output)
        return output.take()
    }

    /// A frame without a mask in one piece, with a single allocation, as most are short; `nil` if
    /// it is long.
    private func shortFrame(_ opcode: Opcode, _ parts: [SharedBytes]) -> SharedBytes? {
        let dataBytes = parts.reduce(0) { $0 + $1.count }
        guard dataBytes <= GatheredParts.shortBytes else { return nil }
        let header = FrameHeader(opcode, dataBytes: dataBytes, isFinal: true, mask: nil)
        return SharedBytes(count: header.byteCount + dataBytes) { memory in
            header.write(to: memory)
            var end = header.byteCount
            for part in parts {
                let target = UnsafeMutableRawBufferPointer(rebasing: memory[end...])
                part.withBytes { target.copyMemory(from: $0) }
                end += part.count
            }
        }
    }

    /// A part of what is written.
    private struct Slice {
        let bytes: SharedBytes
        let range: Range<Int>

        init(_ bytes: SharedBytes, _ range: Range<Int>) {
            self.bytes = bytes
            self.range = range
        }
    }

    private func write(
        _ opcode: Opcode, _ data: [Slice], isFinal: Bool = true, to output: inout GatheredParts
    ) {
        let header = FrameHeader(
            opcode, dataBytes: data.reduce(0) { $0 + $1.range.count }, isFinal: isFinal,
            mask: makeMask?())
        guard let mask = header.mask else {
            withUnsafeTemporaryAllocation(byteCount: header.byteCount, alignment: 1) { memory in
                header.write(to: memory)
                output.append(copying: UnsafeRawBufferPointer(memory))
            }
            for part in data { output.append(part.range, of: part.bytes) }
            return
        }
        output.append(
            SharedBytes(count: header.byteCount + header.dataBytes) { memory in
                header.write(to: memory)
                var position = 0
                for part in data {
                    let target = UnsafeMutableRawBufferPointer(
                        rebasing: memory[(header.byteCount + position)...])
                    part.bytes.withBytes { bytes in
                        MessageWriter.mask(
                            UnsafeRawBufferPointer(rebasing: bytes[part.range]), mask,
                            at: position, to: target)
                    }
                    position += part.range.count
                }
            })
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
