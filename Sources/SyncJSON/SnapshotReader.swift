package import SyncModel

/// Reads a `snapshot` object of any size, given in pieces, one section or item at a time.
///
/// It follows the brackets around sections and items itself. Each item goes to the parser on its
/// own, and so do the other members of each section. It keeps only the text that it has not read
/// yet.
///
/// 1. Sections and items come in the order of the text, a section before its items. So the id of a
///    section must come before its items in the text. Other members may come behind them.
/// 2. No kept text is longer than ``maximumElementBytes``, so the memory is bounded.
/// 3. A byte order mark before the text is passed over.
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
        /// The last section once more, with the members that came behind its items.
        case wholeSection(ListSection)
    }

    /// The most bytes of an item, or of all members of a section apart from its items.
    package let maximumElementBytes: Int

    /// The longest key of a snapshot's member that is checked before its value is complete.
    private static let longestKey = 128

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

    private var text = PieceText()

    /// The members of the snapshot, and of the section, that were read so far.
    private var snapshotHead = ObjectHead()
    private var sectionHead = ObjectHead()
    private var hasSections = false
    private var hasItems = false
    /// Whether a member of the section came behind its items.
    private var hasLateMembers = false
    private var lastPart: (section: Int, item: Int?) = (0, nil)
    private var sectionIndex = 0
    private var itemIndex = 0

    package init(maximumElementBytes: Int = 16 << 20) {
        self.maximumElementBytes = maximumElementBytes
    }

    /// How many bytes of text it keeps.
    package var keptBytes: Int { text.keptBytes + snapshotHead.count + sectionHead.count }

    /// Adds the next piece of the text.
    package mutating func append(_ piece: UnsafeRawBufferPointer) {
        text.append(piece)
    }

    /// The next part; `nil` if that needs more text.
    package mutating func next() throws(JSONError) -> Part? {
        while let byte = text.nextByte() {
            switch (expectation, byte) {
            case (_, _) where level == .end: throw place.error("must end after the snapshot")
            case (.commaOrEnd, UInt8(ascii: ",")):
                text.skipByte()
                expectation = .element
            case (.elementOrEnd, closingBracket), (.commaOrEnd, closingBracket):
                text.skipByte()
                if let part = try leaveLevel() { return part }
            case (.commaOrEnd, _):
                throw place.error("is not JSON: a comma or the end must follow here")
            case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")), (_, UInt8(ascii: "}")):
                throw place.error("is not JSON: something is missing here")
            default:
                let before = text.position
                if let part = try readElement(startingWith: byte) { return part }
                if text.position == before { return nil }
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

    /// The place of the last part.
    package var placeOfPart: Place {
        Place(
            isWrapped: isWrapped, section: Int32(clamping: lastPart.section),
            item: lastPart.item.map { Int32(clamping: $0) } ?? -1)
    }

    /// Where a part stands in the text.
    package struct Place: Sendable, Equatable, CustomStringConvertible {
        let isWrapped: Bool
        let section: Int32
        /// -1 for the section itself.
        let item: Int32

        /// Such as `snapshot.sections[0].items[2]`.
        package var description: String {
            let section = "\(isWrapped ? "snapshot." : "")sections[\(section)]"
            return item < 0 ? section : "\(section).items[\(item)]"
        }
    }

    private var placeOfSections: JSONPath {
        .key("sections", of: isWrapped ? .key("snapshot", of: .root) : .root)
    }

    /// The current place, for errors.
    private var place: JSONPath {
        let section = JSONPath.index(sectionIndex, of: placeOfSections)
        return switch level {
        case .start, .wrapper, .end: .root
        case .snapshot: isWrapped ? .key("snapshot", of: .root) : .root
        case .sections: placeOfSections
        case .section: section
        case .items: .index(itemIndex, of: .key("items", of: section))
        }
    }

    private mutating func enter(_ level: Level) {
        text.skipByte()
        self.level = level
        expectation = .elementOrEnd
    }

    /// Continues after a closing bracket.
    ///
    /// - Returns: the section that has ended, if it was not returned before as it is.
    private mutating func leaveLevel() throws(JSONError) -> Part? {
        expectation = .commaOrEnd
        switch level {
        case .items:
            level = .section
        case .section:
            var part: Part?
            lastPart = (sectionIndex, nil)
            if !hasItems { part = .section(try readSection()) }
            if hasLateMembers { part = .wholeSection(try readSection()) }
            level = .sections
            sectionIndex += 1
            return part
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

    /// Reads an element, or enters it. The reader stays where it is if that needs more text.
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
            (hasItems, hasLateMembers) = (false, false)
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
        let item = try text.parse(element, at: place) { node throws(JSONError) in try node.item() }
        take(element)
        lastPart = (sectionIndex, itemIndex)
        itemIndex += 1
        return .item(item)
    }

    private mutating func readSnapshotMember() throws(JSONError) {
        if !isWrapped, snapshotHead.isEmpty, !hasSections {
            guard let isFound = try enterMember("snapshot", opening: UInt8(ascii: "{")) else {
                return
            }
            if isFound {
                isWrapped = true
                return enter(.snapshot)
            }
        }
        guard let isFound = try enterMember("sections", opening: UInt8(ascii: "[")) else { return }
        if isFound {
            if hasSections { throw place.error("has sections twice") }
            hasSections = true
            enter(.sections)
        } else {
            try checkKey()
            guard let element = try completeElement() else { return }
            try take(element, into: \.snapshotHead)
        }
    }

    private mutating func readSectionMember() throws(JSONError) -> Part? {
        guard let isFound = try enterMember("items", opening: UInt8(ascii: "[")) else { return nil }
        guard isFound else {
            guard let element = try completeElement() else { return nil }
            try take(element, into: \.sectionHead)
            hasLateMembers = hasItems
            return nil
        }
        if hasItems { throw place.error("has items twice") }
        let section = try readSectionBeforeItems()
        hasItems = true
        enter(.items)
        lastPart = (sectionIndex, nil)
        return .section(section)
    }

    private func readSectionBeforeItems() throws(JSONError) -> ListSection {
        let id = JSONPath.key("id", of: place)
        do throws(JSONError) {
            return try readSection()
        } catch {
            throw error == id.error("is missing") ? id.error("must come before the items") : error
        }
    }

    private func readSection() throws(JSONError) -> ListSection {
        try sectionHead.parse(at: place) { node throws(JSONError) in try node.section() }
    }

    /// Refuses a key that a snapshot can't have, before its value, which may be of any length, has
    /// come.
    private func checkKey() throws(JSONError) {
        guard let key = text.key(atMost: SnapshotReader.longestKey) else { return }
        let known = ["room", "revision"] + (isWrapped ? [] : ["snapshot"]) + ["sections"]
        if let name = known.first(where: { $0.utf8.elementsEqual(key) }) {
            guard name != "snapshot" else {
                throw JSONPath.key(name, of: place).error("must be the only key")
            }
            return
        }
        let name = String(decoding: key, as: UTF8.self)
        throw JSONPath.key(name, of: place)
            .error("unknown key; it can be \(known.joined(separator: ", "))")
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

    /// The element at the position, once its text is complete.
    private mutating func completeElement() throws(JSONError) -> Range<Int>? {
        switch text.element(atMost: maximumElementBytes) {
        case .complete(let element): return element
        case .incomplete: return nil
        case .tooLong: throw tooLong
        }
    }

    /// Continues after an element.
    private mutating func take(_ element: Range<Int>) {
        text.take(element)
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

    /// Enters the member at the position, if it has a key.
    ///
    /// - Returns: whether it has; `nil` if its text is not complete yet.
    private mutating func enterMember(
        _ key: StaticString, opening bracket: UInt8
    ) throws(JSONError) -> Bool? {
        switch text.enterMember(key) {
        case .found(bracket): return true
        case .found:
            let kind = bracket == UInt8(ascii: "[") ? "a list" : "an object"
            throw JSONPath.key("\(key)", of: place).error("must be \(kind)")
        case .another: return false
        case .unknownYet: return nil
        case .tooMuchSpace: throw place.error("has too much white space behind a key")
        }
    }
}
