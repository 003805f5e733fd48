import SyncBytes
package import SyncModel

/// A piece of a room at one revision. The pieces come in order, the first and the last marked.
package struct SnapshotPart: Sendable, Equatable {
    /// A piece of a section.
    package struct Piece: Sendable, Equatable {
        /// The section; `nil` if the last one of the part before continues.
        package var section: ListSection?
        package var items: [Item]

        package init(section: ListSection?, items: [Item] = []) {
            self.section = section
            self.items = items
        }
    }

    package var channel: Channel
    package var revision: Revision
    package var pieces: [Piece]
    package var isFirst: Bool
    package var isLast: Bool
    /// How many items the whole snapshot has, for showing the progress.
    package var totalItems: UInt64

    package init(
        channel: Channel, revision: Revision, pieces: [Piece], isFirst: Bool, isLast: Bool,
        totalItems: UInt64
    ) {
        self.channel = channel
        self.revision = revision
        self.pieces = pieces
        self.isFirst = isFirst
        self.isLast = isLast
        self.totalItems = totalItems
    }
}

extension SnapshotPart {
    enum Number {
        static let room = 1
        static let request = 2
        static let revision = 3
        static let first = 4
        static let totalItems = 5
        static let pieces = 6
        static let last = 7

        static let pieceSection = 1
        static let pieceItems = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var channel: Channel?
        self.init(
            channel: .room(0), revision: 0, pieces: [], isFirst: false, isLast: false,
            totalItems: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: channel = .room(try reader.uint32())
            case Number.request: channel = .request(try reader.uint32())
            case Number.revision: revision = try reader.number()
            case Number.first: isFirst = try reader.bool()
            case Number.last: isLast = try reader.bool()
            case Number.totalItems: totalItems = try reader.number()
            case Number.pieces: pieces.append(try Piece(parsing: try reader.body()))
            default: try reader.skip()
            }
        }
        guard let channel else { throw .malformed }
        self.channel = channel
    }

    func write(to writer: inout ByteWriter) {
        writeHead(to: &writer)
        for piece in pieces {
            writer.write(message: Number.pieces) { writer in piece.write(to: &writer) }
        }
        writer.write(Number.last, true: isLast)
    }

    /// Writes the fields before the pieces.
    func writeHead(to writer: inout ByteWriter) {
        writer.write(channel, room: Number.room, request: Number.request)
        writer.write(Number.revision, nonzero: revision)
        writer.write(Number.first, true: isFirst)
        writer.write(Number.totalItems, nonzero: totalItems)
    }
}

extension SnapshotPart.Piece {
    private typealias Number = SnapshotPart.Number

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(section: nil)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.pieceSection: section = try reader.section()
            case Number.pieceItems: items.append(try reader.item())
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        if let section { writer.write(Number.pieceSection, section) }
        for item in items { writer.write(Number.pieceItems, item) }
    }
}
