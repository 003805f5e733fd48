package import SyncBytes

/// The path and the query of a request's target, decoded.
package struct RequestTarget: Sendable {
    /// The segments between the slashes. A segment may have a slash of its own, sent as `%2F`; none
    /// is `.` or `..`. `/` has no segments, and `/a/` has a second, empty one.
    package var path: [ForeignText]
    /// The items in order. One without an equals sign has an empty value.
    package var query: [QueryItem]

    package struct QueryItem: Sendable {
        package let name: ForeignText
        package let value: ForeignText
    }

    private static let mostSegments = 64
    private static let mostItems = 64

    /// Decodes a target that begins with a slash. What is decoded is UTF-8 without NUL.
    package init(_ target: String) throws(HTTPError) {
        let parts = Array(target.utf8).split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].first == UInt8(ascii: "/") else {
            throw .malformed("The target of the request is not a path.")
        }
        path = try RequestTarget.segments(of: parts[0].dropFirst())
        query = parts.count == 1 ? [] : try RequestTarget.items(of: parts[1])
    }

    private static func segments(of path: ArraySlice<UInt8>) throws(HTTPError) -> [ForeignText] {
        guard !path.isEmpty else { return [] }
        let parts = path.split(
            separator: UInt8(ascii: "/"), maxSplits: mostSegments, omittingEmptySubsequences: false)
        guard parts.count <= mostSegments else {
            throw .malformed("The path has more than \(mostSegments) segments.")
        }
        var segments: [ForeignText] = []
        for part in parts {
            let segment = try decoded(part, plusIsSpace: false)
            guard !segment.isSame(as: "."), !segment.isSame(as: "..") else {
                throw .malformed("The path has a segment of dots.")
            }
            segments.append(segment)
        }
        return segments
    }

    private static func items(of query: ArraySlice<UInt8>) throws(HTTPError) -> [QueryItem] {
        let parts = query.split(separator: UInt8(ascii: "&"), maxSplits: mostItems)
        guard parts.count <= mostItems else {
            throw .malformed("The query has more than \(mostItems) items.")
        }
        var items: [QueryItem] = []
        for part in parts {
            let sides = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            items.append(
                QueryItem(
                    name: try decoded(sides[0], plusIsSpace: true),
                    value: try decoded(sides.count == 1 ? [] : sides[1], plusIsSpace: true)))
        }
        return items
    }

    private static func decoded(
        _ encoded: ArraySlice<UInt8>, plusIsSpace: Bool
    ) throws(HTTPError) -> ForeignText {
        let isPlain =
            !encoded.contains(UInt8(ascii: "%"))
            && (!plusIsSpace || !encoded.contains(UInt8(ascii: "+")))
        if isPlain { return try text(encoded) }
        var bytes: [UInt8] = []
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit)
                else { throw .malformed("The target has a percent sign without two digits.") }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return try text(bytes[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> ForeignText {
        let text = bytes.withUnsafeBytes { ForeignText($0, atMost: $0.count) }
        guard !bytes.contains(0), let text else {
            throw .malformed("The target is not UTF-8, or has a NUL.")
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
