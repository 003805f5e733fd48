/// Text that comes in pieces, of which only what is not read yet is kept.
struct PieceText {
    private var bytes: [UInt8] = []
    /// The number of bytes that have been read.
    private(set) var position = 0
    private var scanner = ElementScanner()
    private var isBegun = false

    /// The most bytes of a member's key and the space after it, if they are cut off by the end of a
    /// piece: they are looked at again with each piece.
    private static let longestGap = 1024
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    var keptBytes: Int { bytes.capacity }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        bytes.removeSubrange(..<position)
        position = 0
        bytes.append(contentsOf: piece)
    }

    /// The next byte after white space, and after a byte order mark at the beginning.
    mutating func nextByte() -> UInt8? {
        guard isBegun || begin() else { return nil }
        skipSpace(&position)
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func begin() -> Bool {
        let mark = PieceText.byteOrderMark
        if bytes.starts(with: mark) { position = mark.count }
        isBegun = bytes.count >= mark.count || !mark.starts(with: bytes)
        return isBegun
    }

    private func skipSpace(_ at: inout Int) {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    /// Passes over the next byte.
    mutating func skipByte() { position += 1 }

    // MARK: Elements

    /// What is known of the element at the position.
    enum Element {
        case complete(Range<Int>)
        case incomplete
        case tooLong
    }

    mutating func element(atMost limit: Int) -> Element {
        let isComplete = bytes.withUnsafeBytes { bytes in
            scanner.scan(UnsafeRawBufferPointer(rebasing: bytes[position...]))
        }
        if scanner.length > limit { return .tooLong }
        return isComplete ? .complete(position..<position + scanner.length) : .incomplete
    }

    subscript(element: Range<Int>) -> ArraySlice<UInt8> { bytes[element] }

    /// Continues after an element.
    mutating func take(_ element: Range<Int>) {
        position = element.upperBound
        scanner = ElementScanner()
    }

    func parse<Result>(
        _ element: Range<Int>, at place: JSONPath,
        _ body: (JSONNode) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            let bytes = UnsafeBufferPointer(rebasing: bytes[element])
            return try JSONNode.parse(UnsafeRawBufferPointer(bytes), at: place, body)
        }
    }

    // MARK: Members

    /// The key at the position, as it is written; `nil` if it is no text, or longer, or cut off.
    func key(atMost limit: Int) -> ArraySlice<UInt8>? {
        let rest = bytes[position...].prefix(limit + 2)
        guard rest.first == UInt8(ascii: "\""),
            let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return rest[(position + 1)..<end]
    }

    /// What is known of the member at the position.
    enum Member {
        /// It is the one that was asked for. Its value begins with this byte.
        case found(UInt8)
        /// It is another one.
        case another
        /// Its text is not complete yet.
        case unknownYet
        /// There is more white space behind its key than is allowed.
        case tooMuchSpace
    }

    /// Looks at a member, and continues at the value if it has this key.
    mutating func enterMember(_ key: StaticString) -> Member {
        let quoted = Array("\"\(key)\"".utf8)
        let there = bytes[position...].prefix(quoted.count)
        guard quoted.starts(with: there) else { return .another }
        guard there.count == quoted.count else { return .unknownYet }
        var at = position + quoted.count
        skipSpace(&at)
        let isKey = at < bytes.count && bytes[at] == UInt8(ascii: ":")
        if isKey {
            at += 1
            skipSpace(&at)
        }
        guard at - position <= PieceText.longestGap else { return .tooMuchSpace }
        guard at < bytes.count else { return .unknownYet }
        guard isKey else { return .another }
        position = at
        return .found(bytes[at])
    }
}
