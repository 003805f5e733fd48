import SyncBytes
import SyncJSON
import SyncModel

/// Reads a snapshot's text by pieces: first for the names of its fields, then for its items as
/// lines of CSV.
struct TableReader: Sendable {
    private var reader = SnapshotReader()
    private var section: Identifier?
    private var names: Set<Identifier> = []
    private var nameBytes = 0
    /// How many columns there are; `nil` as long as they are looked for.
    private var columnCount: Int?
    /// The columns that an item may have a field for, by ascending bytes, and their indices.
    private let columns: [(name: Identifier, index: Int)]

    /// The most columns of fields. A table with more names those that it wants.
    static let mostColumns = 1000
    private static let mostNameBytes = 64 << 10
    private static let bytesOfName = 64

    /// - Parameter columns: the fields to write; `nil` to look for them first.
    init(columns: [Identifier]?) {
        columnCount = columns?.count
        self.columns = (columns ?? []).enumerated().map { ($1, $0) }
            .sorted { $0.name < $1.name }
    }

    var memoryBytes: Int {
        reader.keptBytes + nameBytes + (columnCount ?? names.count) * TableReader.bytesOfName
    }

    /// The columns that are found, in the order of their bytes.
    var foundColumns: [Identifier] { names.sorted() }

    /// The first line: what all items have, and the fields.
    static func header(of columns: [Identifier]) -> [UInt8] {
        var writer = CSVWriter()
        for name in ["section", "id", "kind", "width", "height"] { writer.write(name) }
        for name in columns { writer.write("fields." + name.text) }
        writer.endLine()
        return writer.bytes
    }

    /// Some lines of a table.
    struct Lines: Sendable {
        var bytes: [UInt8]
        /// Whether more lines can be made of the pieces so far.
        var hasMore: Bool
    }

    /// Many columns make much more of an item than its text is, so few lines are made at a time.
    private static let mostLineBytes = 256 << 10

    /// Reads pieces, and what the last call has left of those before.
    mutating func read(_ pieces: [SharedBytes]) -> Result<Lines, TableFault> {
        var writer = CSVWriter()
        do {
            for piece in pieces { reader.append(piece.bytes) }
            while let part = try reader.next() {
                switch part {
                case .section(let section): self.section = section.id
                case .wholeSection: break
                case .item(let item):
                    if let columnCount {
                        write(item, columnCount, to: &writer)
                    } else {
                        try note(item)
                    }
                }
                if writer.bytes.count >= TableReader.mostLineBytes {
                    return .success(Lines(bytes: writer.bytes, hasMore: true))
                }
            }
            return .success(Lines(bytes: writer.bytes, hasMore: false))
        } catch let fault as TableFault {
            return .failure(fault)
        } catch {
            return .failure(.unreadable)
        }
    }

    private mutating func note(_ item: Item) throws(TableFault) {
        for field in item.content.fields where names.insert(field.name).inserted {
            nameBytes += field.name.text.utf8.count
        }
        guard names.count <= TableReader.mostColumns, nameBytes <= TableReader.mostNameBytes
        else { throw .tooManyColumns }
    }

    private func write(_ item: Item, _ columnCount: Int, to writer: inout CSVWriter) {
        writer.write(section?.text)
        writer.write(item.id.text)
        writer.write(item.content.kind?.text)
        let size = item.content.size
        writer.write(size.map { .number($0.width) })
        writer.write(size.map { .number($0.height) })
        // Both are sorted by name, so one pass finds what belongs together.
        var values = [Value?](repeating: nil, count: columnCount)
        var rest = columns[...]
        for field in item.content.fields {
            rest = rest.drop { $0.name < field.name }
            guard let column = rest.first else { break }
            if column.name == field.name { values[column.index] = field.value }
        }
        for value in values { writer.write(value) }
        writer.endLine()
    }
}

/// Why there is no table.
enum TableFault: Error {
    case tooManyColumns
    /// The text is no snapshot.
    case unreadable
}
