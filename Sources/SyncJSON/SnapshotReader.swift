package import SyncModel

/// Reads a `snapshot` object of any size, given in pieces, one section or item at a time.
///
/// It follows the brackets around sections and items itself. Each item goes to the parser on its
/// own, and so do the other members of each section. It keeps only the text that it has not read
/// yet.
///
/// 1. Sections and items come in the order of the text, a section before its items. So all other
///    members of a section must come before its items in the text.
/// 2. No kept text is longer than ``maximumElementBytes``, so the memory is bounded.
///
/// # Performance
/// O(n) for n bytes, however they are split.
package struct SnapshotReader {
    /// One step of reading.
    package enum Part: Sendable, Equatable {
        /// A section; its items follow.
        case section(ListSection)
        /// The next item of the last section.
        case item(Item)
    }

    /// The most bytes of an item, or of all members of a section apart from its items.
    package let maximumElementBytes: Int

    /// The most bytes of a member's key and the space after it, if they are cut off by the end of a
    /// piece: the reader looks at them again with each piece.
    private static let longestGap = 1024

    /// The place of the reader in the text.
    private enum Level {
        case start, snapshot, sections, section, items, wrapper, end
    }

    /// What may come next.
    private enum Expectation {
        case elementOrEnd, element, commaOrEnd
    }

    private var level = Level.start
    private var expectation = Expectation.elementOrEnd
    /// Whether the snapshot is the member `snapshot` of an object, as in a line of `join`.
    private var isWrapped = false

    private var text: [UInt8] = []
    /// The number of bytes of the text that have been read.
    private var position = 0
    private var scanner = ElementScanner()

    /// The members of the snapshot, and of the section, that were read so far.
    private var snapshotHead = ObjectHead()
    private var sectionHead = ObjectHead()
    private var hasSections = false
    private var hasItems = false
    private var sectionIndex = 0
    private var itemIndex = 0

    package init(maximumElementBytes: Int = 16 << 20) {
        self.maximumElementBytes = maximumElementBytes
    }

    /// How many bytes of text it keeps.
    package var keptBytes: Int { text.capacity + snapshotHead.count + sectionHead.count }

    /// Adds the next piece of the text.
    package mutating func append(_ piece: UnsafeRawBufferPointer) {
        text.removeSubrange(..<position)
        position = 0
        text.append(contentsOf: piece)
    }

    /// The next part; `nil` if that needs more text.
    package mutating func next() throws(JSONError) -> Part? {
        while let byte = nextByte() {
            switch (expectation, byte) {
            case (_, _) where level == .end: throw place.error("must end after the snapshot")
            case (.commaOrEnd, UInt8(ascii: ",")):
                position += 1
                expectation = .element
            case (.elementOrEnd, closingBracket), (.commaOrEnd, closingBracket):
                position += 1
                if let section = try leaveLevel() { return .section(section) }
            case (.commaOrEnd, _):
                throw place.error("is not JSON: a comma or the end must follow here")
            case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")), (_, UInt8(ascii: "}")):
                throw place.error("is not JSON: something is missing here")
            default:
                let before = position
                if let part = try readElement(startingWith: byte) { return part }
                if position == before { return nil }
            }
        }
        return nil
    }

    /// Ends the text.
    ///
    /// - Throws: if the snapshot is not complete.
    package mutating func finish() throws(JSONError) {
        guard level == .end else { throw place.error("is cut off: the text ends here") }
    }

    // MARK: Levels

    private var closingBracket: UInt8? {
        switch level {
        case .start, .end: nil
        case .sections, .items: UInt8(ascii: "]")
        case .snapshot, .section, .wrapper: UInt8(ascii: "}")
        }
    }

    /// The current place, for errors.
    private var place: JSONPath {
        let snapshot = isWrapped ? JSONPath.key("snapshot", of: .root) : .root
        let sections = JSONPath.key("sections", of: snapshot)
        let section = JSONPath.index(sectionIndex, of: sections)
        return switch level {
        case .start, .wrapper, .end: .root
        case .snapshot: snapshot
        case .sections: sections
        case .section: section
        case .items: .index(itemIndex, of: .key("items", of: section))
        }
    }

    private mutating func enter(_ level: Level) {
        position += 1
        self.level = level
        expectation = .elementOrEnd
    }

    /// Continues after a closing bracket.
    ///
    /// - Returns: the section that has ended, if it had no items and so was not returned before.
    private mutating func leaveLevel() throws(JSONError) -> ListSection? {
        expectation = .commaOrEnd
        switch level {
        case .items:
            level = .section
        case .section:
            let section = hasItems ? nil : try readSection()
            level = .sections
            sectionIndex += 1
            return section
        case .sections:
            level = .snapshot
        case .snapshot:
            try checkSnapshot()
            level = isWrapped ? .wrapper : .end
        case .wrapper:
            level = .end
        case .start, .end: break
        }
        return nil
    }

    // MARK: Elements

    /// Reads an element, or enters it. The position stays if that needs more text.
    private mutating func readElement(startingWith byte: UInt8) throws(JSONError) -> Part? {
        switch level {
        case .start:
            guard byte == UInt8(ascii: "{") else { throw place.error("must be an object") }
            enter(.snapshot)
        case .sections:
            guard byte == UInt8(ascii: "{") else {
                throw JSONPath.index(sectionIndex, of: place).error("must be an object")
            }
            sectionHead = ObjectHead()
            hasItems = false
            itemIndex = 0
            enter(.section)
        case .items: return try readItem()
        case .snapshot: try readSnapshotMember()
        case .section: return try readSectionMember()
        case .wrapper, .end: throw place.error("must end after the snapshot")
        }
        return nil
    }

    private mutating func readItem() throws(JSONError) -> Part? {
        guard let element = try completeElement() else { return nil }
        let place = place
        let item = try parse(element, at: place) { node throws(JSONError) in try node.item() }
        take(element)
        itemIndex += 1
        return .item(item)
    }

    private mutating func readSnapshotMember() throws(JSONError) {
        if !isWrapped, snapshotHead.isEmpty, !hasSections {
            switch try memberValue("snapshot", opening: UInt8(ascii: "{")) {
            case .found(let start):
                position = start
                isWrapped = true
                return enter(.snapshot)
            case .unknownYet: return
            case .another: break
            }
        }
        switch try memberValue("sections", opening: UInt8(ascii: "[")) {
        case .found(let start):
            if hasSections { throw place.error("has sections twice") }
            hasSections = true
            position = start
            enter(.sections)
        case .unknownYet: return
        case .another:
            guard let element = try completeElement() else { return }
            try take(element, into: \.snapshotHead)
        }
    }

    private mutating func readSectionMember() throws(JSONError) -> Part? {
        switch try memberValue("items", opening: UInt8(ascii: "[")) {
        case .found(let start):
            if hasItems { throw place.error("has items twice") }
            let section = try readSection()
            hasItems = true
            position = start
            enter(.items)
            return .section(section)
        case .unknownYet: return nil
        case .another:
            guard let element = try completeElement() else { return nil }
            if hasItems { throw place.error("must have its items last, behind all other keys") }
            try take(element, into: \.sectionHead)
            return nil
        }
    }

    private func readSection() throws(JSONError) -> ListSection {
        try sectionHead.parse(at: place) { node throws(JSONError) in try node.section() }
    }

    /// Checks the other members of the snapshot: an import does not need them, but they must be
    /// valid.
    private func checkSnapshot() throws(JSONError) {
        try snapshotHead.parse(at: place) { node throws(JSONError) in
            enum Key: JSONName, CaseIterable { case room, revision }
            for member in try node.members() {
                switch try member.key(Key.self) {
                case .room: _ = try member.node.text()
                case .revision: _ = try member.node.wholeNumber()
                }
            }
        }
        guard hasSections else { throw JSONPath.key("sections", of: place).error("is missing") }
    }

    // MARK: Text

    /// The next byte after white space.
    private mutating func nextByte() -> UInt8? {
        skipSpace(&position)
        return position < text.count ? text[position] : nil
    }

    private func skipSpace(_ at: inout Int) {
        while at < text.count {
            switch text[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    /// The element at the position, once its text is complete.
    private mutating func completeElement() throws(JSONError) -> Range<Int>? {
        let isComplete = text.withUnsafeBytes { bytes in
            scanner.scan(UnsafeRawBufferPointer(rebasing: bytes[position...]))
        }
        guard scanner.length <= maximumElementBytes else { throw tooLong }
        return isComplete ? position..<position + scanner.length : nil
    }

    /// Continues after an element.
    private mutating func take(_ element: Range<Int>) {
        position = element.upperBound
        scanner = ElementScanner()
        expectation = .commaOrEnd
    }

    /// Stores an element with the other members, and continues after it.
    private mutating func take(
        _ element: Range<Int>, into head: WritableKeyPath<SnapshotReader, ObjectHead>
    ) throws(JSONError) {
        self[keyPath: head].append(text[element])
        guard self[keyPath: head].count <= maximumElementBytes else { throw tooLong }
        take(element)
    }

    private var tooLong: JSONError {
        place.error("is longer than \(maximumElementBytes) bytes")
    }

    private func parse<Result>(
        _ element: Range<Int>, at place: JSONPath,
        _ body: (JSONNode) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try text.withUnsafeBufferPointer { bytes throws(JSONError) in
            let bytes = UnsafeBufferPointer(rebasing: bytes[element])
            return try JSONNode.parse(UnsafeRawBufferPointer(bytes), at: place, body)
        }
    }

    /// The result of looking at the member at the position.
    private enum MemberValue {
        /// It is the one that was asked for; its value begins at this index.
        case found(Int)
        /// It is another one.
        case another
        /// Its text is not complete yet.
        case unknownYet
    }

    private func memberValue(
        _ key: StaticString, opening bracket: UInt8
    ) throws(JSONError) -> MemberValue {
        let quoted = Array("\"\(key)\"".utf8)
        let there = text[position...].prefix(quoted.count)
        guard quoted.starts(with: there) else { return .another }
        guard there.count == quoted.count else { return .unknownYet }
        var at = position + quoted.count
        skipSpace(&at)
        let isKey = at < text.count && text[at] == UInt8(ascii: ":")
        if isKey {
            at += 1
            skipSpace(&at)
        }
        guard at < text.count else {
            guard at - position <= SnapshotReader.longestGap else {
                throw place.error("has too much white space behind a key")
            }
            return .unknownYet
        }
        guard isKey else { return .another }
        guard text[at] == bracket else {
            let kind = bracket == UInt8(ascii: "[") ? "a list" : "an object"
            throw JSONPath.key("\(key)", of: place).error("must be \(kind)")
        }
        return .found(at)
    }
}
