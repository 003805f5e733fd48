import SyncModel

/// Joins the parts of lines, in the order in which they come: it says what stands before each
/// part's text. The joined text of a batch or a snapshot is the line that ``JSONWriter`` writes of
/// the whole, byte for byte.
///
/// It keeps some numbers, and never looks at a text.
package struct LineJoiner: Sendable {
    /// A part's place in its line.
    package struct Piece: Equatable, Sendable {
        /// What stands before the part's text; mostly nothing.
        package var before: [UInt8] = []
        /// Where the part's text begins; what is before is not sent.
        package var offset = 0
        /// Whether the line ends with the part.
        package var endsLine: Bool
    }

    /// A part does not follow the part before.
    package struct MisplacedPart: Error {}

    private enum Place {
        /// Between lines.
        case between
        case stages(from: Revision, to: Revision, Stages)
        case counts(from: Revision, to: Revision)
        case sections(Revision, Sections)
    }

    /// What the parts before have left open in the list of stages.
    private enum Stages {
        case none
        /// A stage, and its last list if it has any.
        case stage(StageList?)
    }

    /// The same in the list of sections.
    private enum Sections {
        case none
        case section(hasItems: Bool)
    }

    private let room: String
    private var place = Place.between

    /// - Parameter room: its name, with which the line of a snapshot begins.
    package init(room: String) {
        self.room = room
    }

    /// Whether a line is incomplete. Then no other line may be written.
    package var isWithinLine: Bool {
        if case .between = place { false } else { true }
    }

    /// Adds a part. One that is misplaced changes nothing.
    ///
    /// - Parameter count: the bytes of its text.
    package mutating func add(
        _ part: LinePart, ofBytes count: Int
    ) throws(MisplacedPart) -> Piece {
        let (piece, place) =
            switch part {
            case .line where isWithinLine: throw MisplacedPart()
            case .line: (Piece(endsLine: true), Place.between)
            case .batch(let part): try adding(part, ofBytes: count)
            case .snapshot(let part): try adding(part)
            }
        guard piece.offset <= count else { throw MisplacedPart() }
        self.place = place
        return piece
    }

    // MARK: Batches

    private func adding(
        _ part: BatchPart, ofBytes count: Int
    ) throws(MisplacedPart) -> (Piece, Place) {
        var piece = Piece(endsLine: !part.hasMore)
        switch place {
        case .between:
            if part.isContinued { throw MisplacedPart() }
        case .stages(part.from, part.to, let stages):
            if part.isContinued, part.hasStages {
                guard case .stage(let list) = stages else { throw MisplacedPart() }
                join(part, to: list, ofBytes: count, &piece)
            } else if part.hasStages || part.hasCounts || !part.hasMore {
                piece.before = LineJoiner.end(of: stages)
                if part.hasStages, !piece.before.isEmpty { piece.before.append(Text.comma) }
                piece.offset = part.stagesOffset
            } else {
                piece.offset = count
            }
        case .counts(part.from, part.to):
            if part.hasStages { throw MisplacedPart() }
            piece.offset = part.hasCounts ? part.countsOffset : count
            if part.hasCounts {
                piece.before = [Text.comma]
            } else if !part.hasMore {
                piece.before = Text.endOfCounts
            }
        default: throw MisplacedPart()
        }
        return (piece, part.hasMore ? place(after: part) : .between)
    }

    /// Continues a stage.
    ///
    /// - Parameter list: the list that the part before has left open.
    private func join(
        _ part: BatchPart, to list: StageList?, ofBytes count: Int, _ piece: inout Piece
    ) {
        piece.offset = part.elementsOffset
        switch (list, part.firstList) {
        case (let list, let first?) where list == first: piece.before = [Text.comma]
        case (nil, let first?): piece.before = Text.beginning(of: first)
        case (_, let first?):
            piece.before = [Text.endOfList, Text.comma] + Text.beginning(of: first)
        case (let list, nil):
            // The part adds nothing to the stage. Does it end it?
            if part.hasMore, !part.hasSeveralStages, !part.hasCounts {
                piece.offset = count
            } else if list != nil {
                piece.before = [Text.endOfList]
            }
        }
    }

    private static func end(of stages: Stages) -> [UInt8] {
        switch stages {
        case .none: []
        case .stage(nil): [Text.endOfObject]
        case .stage: [Text.endOfList, Text.endOfObject]
        }
    }

    /// The place after a part of a batch that has more.
    private func place(after part: BatchPart) -> Place {
        if part.hasCounts { return .counts(from: part.from, to: part.to) }
        var stages = Stages.none
        switch place {
        case .counts: return place
        case .stages(_, _, let known): stages = known
        case .between, .sections: break
        }
        if part.hasStages {
            let isUnchanged = part.isContinued && !part.hasSeveralStages && part.lastList == nil
            if !isUnchanged { stages = .stage(part.lastList) }
        }
        return .stages(from: part.from, to: part.to, stages)
    }

    // MARK: Snapshots

    private func adding(_ part: SnapshotTextPart) throws(MisplacedPart) -> (Piece, Place) {
        var piece = Piece(endsLine: part.isLast)
        var sections = Sections.none
        if part.isFirst {
            guard !isWithinLine, !part.isContinued else { throw MisplacedPart() }
            piece.before = beginning(at: part.revision)
        } else {
            guard case .sections(part.revision, let known) = place else { throw MisplacedPart() }
            sections = known
        }
        switch sections {
        case .none:
            if part.isContinued { throw MisplacedPart() }
        case .section(let hasItems):
            if part.isContinued {
                if part.beginsWithItems, hasItems { piece.before = [Text.comma] }
            } else if part.hasSections {
                piece.before = [Text.endOfList, Text.endOfObject, Text.comma]
            } else if part.isLast {
                piece.before = [Text.endOfList, Text.endOfObject]
            }
        }
        if part.isLast { return (piece, .between) }
        if part.hasSections {
            sections = .section(hasItems: part.endsWithItems)
        } else if part.endsWithItems {
            sections = .section(hasItems: true)
        }
        return (piece, .sections(part.revision, sections))
    }

    private func beginning(at revision: Revision) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginSnapshot(room: room, revision: revision)
        return [UInt8](writer.bytes)
    }
}

private enum Text {
    static let comma = UInt8(ascii: ",")
    static let endOfList = UInt8(ascii: "]")
    static let endOfObject = UInt8(ascii: "}")
    static let endOfCounts = [endOfList, endOfObject, endOfObject]

    /// The key of a list, and the list's beginning.
    static func beginning(of list: StageList) -> [UInt8] {
        Array("\"\(list.name)\":[".utf8)
    }
}
