import SyncBytes

extension HTTPFields {
    /// Whether the client takes a body that is compressed by gzip (RFC 9110, 12.5.3).
    package var acceptsGzip: Bool {
        var isAnyAccepted = false
        for element in list(of: "Accept-Encoding") {
            var scanner = FieldScanner(element)
            guard let coding = scanner.token() else { continue }
            let isAccepted = HTTPFields.hasWeight(&scanner)
            if ["gzip", "x-gzip"].contains(where: { coding.isSame(ignoringCaseOf: $0) }) {
                return isAccepted
            }
            if coding.isSame(as: "*") { isAnyAccepted = isAccepted }
        }
        return isAnyAccepted
    }

    /// Whether a weight comes next that is not 0, or the end. What is no weight counts as 0.
    private static func hasWeight(_ scanner: inout FieldScanner) -> Bool {
        scanner.skipSpaces()
        if scanner.isAtEnd { return true }
        guard scanner.pass(";") else { return false }
        scanner.skipSpaces()
        guard let name = scanner.token(), name.isSame(ignoringCaseOf: "q"), scanner.pass("="),
            let weight = scanner.token()?.shown, scanner.isAtEnd, let first = weight.utf8.first
        else { return false }
        let digits = weight.utf8.dropFirst(2)
        let isWeight =
            (first == UInt8(ascii: "0") || first == UInt8(ascii: "1")) && weight.utf8.count <= 5
            && (weight.utf8.count == 1 || weight.utf8.dropFirst().first == UInt8(ascii: "."))
            && digits.allSatisfy { (0x30...0x39).contains($0) }
        let isZero = digits.allSatisfy { $0 == UInt8(ascii: "0") }
        return isWeight && (first == UInt8(ascii: "1") ? isZero : !isZero)
    }

    /// Whether `If-None-Match` lists a representation's entity tag, so that the client has it. The
    /// comparison is the weak one: `W/` makes no difference (RFC 9110, 8.8.3.2 and 13.1.2). A list
    /// that is not written by the rules has no tag.
    ///
    /// - Parameters:
    ///   - tag: with its quotes.
    ///   - exists: whether there is such a representation for sure: `*` is any that there is.
    package func hasNoneMatch(_ tag: String, exists: Bool = true) -> Bool {
        let values = values(of: "If-None-Match")
        if values.count == 1, values[0].isSame(as: "*") { return exists }
        let opaque = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        var scanner = FieldScanner(values)
        var isListed = false
        while !scanner.isAtEnd {
            if scanner.pass(",") {
                scanner.skipSpaces()
                continue
            }
            if scanner.pass("W"), !scanner.pass("/") { return false }
            guard let listed = scanner.opaqueTag() else { return false }
            isListed = isListed || listed.isSame(as: opaque)
            scanner.skipSpaces()
            guard scanner.isAtEnd || scanner.pass(",") else { return false }
            scanner.skipSpaces()
        }
        return isListed
    }
}
