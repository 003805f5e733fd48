import SyncBytes

/// The pieces of a backup, which can be edited. Their checksums are made here by the description in
/// `BackupFormat`, and not by its code.
struct BackupPieces {
    struct Piece {
        var kind: UInt8
        var body: [UInt8]
    }

    private static let mark = Array("csbackup".utf8)
    private static let headBytes = 13

    private(set) var pieces: [Piece] = []

    /// Splits a stream by the lengths in it. What is cut short ends earlier.
    init(splitting stream: some Collection<UInt8>) {
        var rest = Array(stream.dropFirst(BackupPieces.mark.count))[...]
        while rest.count >= BackupPieces.headBytes, let kind = rest.first {
            let length = rest.dropFirst().prefix(8).reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            rest = rest.dropFirst(BackupPieces.headBytes)
            let count = Int(min(length, UInt64(rest.count)))
            pieces.append(Piece(kind: kind, body: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
    }

    /// The stream, with right lengths and checksums.
    var stream: [UInt8] {
        var bytes = BackupPieces.mark
        var checksum: UInt32 = 0
        for piece in pieces {
            let head = [piece.kind] + BackupPieces.bytes(of: UInt64(piece.body.count), count: 8)
            let former = BackupPieces.bytes(of: UInt64(checksum), count: 4)
            checksum = BackupPieces.checksum(of: former + head + piece.body)
            bytes += head + BackupPieces.bytes(of: UInt64(checksum), count: 4) + piece.body
        }
        return bytes
    }

    /// Changes something, as the choices say.
    mutating func edit(_ choices: inout InputBytes) {
        guard !pieces.isEmpty else { return }
        let place = choices.below(pieces.count)
        switch choices.below(8) {
        case 0: pieces.remove(at: place)
        case 1: pieces.insert(pieces[place], at: choices.below(pieces.count + 1))
        case 2: pieces.swapAt(place, choices.below(pieces.count))
        case 3: pieces[place].kind = choices.byte()
        case 4: pieces[place].body.append(choices.byte())
        case 5: pieces[place].body.removeLast(min(1 + choices.below(9), pieces[place].body.count))
        case 6:
            let count = pieces[place].body.count
            if count > 0 { pieces[place].body[choices.below(count)] = choices.byte() }
        default: pieces[place].setNumber(choices.below(8), to: BackupPieces.number(&choices))
        }
    }

    /// A number at a bound, or near one that is usual.
    private static func number(_ choices: inout InputBytes) -> UInt64 {
        let bounds: [UInt64] = [
            0, 1 << 20, 1 << 32, 1 << 39, 1 << 60, 1 << 63, .max, UInt64(Int64.max),
            UInt64(UInt32.max), 512 << 20,
        ]
        let choice = choices.below(bounds.count + 1)
        let near = UInt64(choices.below(5))
        return choice == bounds.count ? near : bounds[choice] &+ near &- 2
    }

    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The CRC-32 of zlib, bit by bit.
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
    }
}

extension BackupPieces.Piece {
    /// Sets one of the numbers at the start of the body, if there is one.
    fileprivate mutating func setNumber(_ index: Int, to number: UInt64) {
        guard body.count >= (index + 1) * 8 else { return }
        for byte in 0..<8 {
            body[index * 8 + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
        }
    }
}
