/// A frame as a test writes it, right or wrong, and as it reads it.
///
/// It is written from RFC 6455, 5.2, and shares nothing with the module.
struct Frame: Equatable, CustomStringConvertible {
    static let continuation: UInt8 = 0
    static let text: UInt8 = 1
    static let binary: UInt8 = 2
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10

    /// How many bytes its length has.
    enum LengthForm {
        case shortest, two, eight
    }

    var opcode: UInt8
    var data: [UInt8] = []
    var isFinal = true
    var reservedBits: UInt8 = 0
    var isMasked = true

    init(
        _ opcode: UInt8, _ data: [UInt8] = [], isFinal: Bool = true, reservedBits: UInt8 = 0,
        isMasked: Bool = true
    ) {
        (self.opcode, self.data, self.isFinal) = (opcode, data, isFinal)
        (self.reservedBits, self.isMasked) = (reservedBits, isMasked)
    }

    static func text(_ text: String, isFinal: Bool = true) -> Frame {
        Frame(Frame.text, Array(text.utf8), isFinal: isFinal)
    }

    static func close(_ code: UInt16, _ reason: [UInt8] = []) -> Frame {
        Frame(Frame.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    var description: String {
        "\(isFinal ? "" : "…")\(opcode):\(data.count < 40 ? "\(data)" : "\(data.count) bytes")"
    }

    /// - Parameter claimed: the length that the header has in place of that of the data.
    func bytes(
        _ form: LengthForm = .shortest, claiming claimed: UInt64? = nil,
        mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    ) -> [UInt8] {
        let length = claimed ?? UInt64(data.count)
        var bytes = [(isFinal ? 0x80 : 0) | reservedBits << 4 | opcode]
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        func big(_ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        }
        switch form {
        case .shortest where length < 126: bytes.append(maskBit | UInt8(length))
        case .shortest where length < 65_536, .two: bytes += [maskBit | 126] + big(2)
        case .shortest, .eight: bytes += [maskBit | 127] + big(8)
        }
        guard isMasked else { return bytes + data }
        return bytes + mask + data.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    /// Reads whole frames.
    ///
    /// - Returns: `nil` if they end within a frame.
    static func all(in bytes: [UInt8]) -> [Frame]? {
        var frames: [Frame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let frame = next(&rest) else { return nil }
            frames.append(frame)
        }
        return frames
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> Frame? {
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let start = take(2) else { return nil }
        let lengthBytes = [126: 2, 127: 8][start[1] & 0x7F] ?? 0
        guard let long = take(lengthBytes) else { return nil }
        let length =
            lengthBytes == 0 ? Int(start[1] & 0x7F) : long.reduce(0) { $0 << 8 | Int($1) }
        let isMasked = start[1] & 0x80 != 0
        guard let mask = take(isMasked ? 4 : 0), let data = take(length) else { return nil }
        return Frame(
            start[0] & 0xF,
            isMasked ? data.enumerated().map { $0.element ^ mask[$0.offset % 4] } : data,
            isFinal: start[0] & 0x80 != 0, reservedBits: start[0] >> 4 & 7, isMasked: isMasked)
    }
}
