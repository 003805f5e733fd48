import SyncBytes
import SyncModel

/// A table of figures: one case for each, in the order in which they are sent.
///
/// A case's name is the figure's name on the wire and in JSON, and never changes. Its raw value
/// says what is counted and in which unit, in one sentence. So a figure has one line here, and one
/// where it is counted.
public protocol FigureTable: RawRepresentable<String>, CaseIterable, Sendable {
    /// The names of all cases, in their order. A table makes them once, since reflection is slow.
    static var names: [String] { get }
}

extension FigureTable {
    /// The figure's name, found by reflection.
    public var name: String { String(describing: self) }
}

/// A number with its name.
public struct Figure: Sendable, Hashable {
    /// What the number is called.
    public let name: String
    /// The number.
    public var value: UInt64
}

/// The figures that a server sends about a room or itself, each by its name.
///
/// A server of another version may send figures that this version's table does not have. Only
/// ``all`` has those.
public struct Figures<Table: FigureTable>: Sendable, Equatable {
    /// All figures that the server sent, in their order.
    public private(set) var all: [Figure]

    /// The most figures that a server may send.
    private static var maximumCount: Int { 256 }

    /// Makes all figures of the table.
    package init(_ value: (Table) -> UInt64) {
        all = zip(Table.allCases, Table.names).map { Figure(name: $1, value: value($0)) }
    }

    /// A figure; `nil` if the server did not send it.
    public subscript(figure: Table) -> UInt64? {
        let name = figure.name
        return all.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Changes a figure that is among them.
    package mutating func set(_ figure: Table, to value: UInt64) {
        let name = figure.name
        guard let index = all.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else { return }
        all[index].value = value
    }
}

extension Figures: ExpressibleByDictionaryLiteral {
    /// Makes figures, in this order: `[.items: 3, .members: 1]`.
    public init(dictionaryLiteral elements: (Table, UInt64)...) {
        all = elements.map { Figure(name: $0.name, value: $1) }
    }
}

extension Figures {
    /// None.
    init() {
        all = []
    }

    /// Adds a figure from its message.
    mutating func add(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        guard all.count < Self.maximumCount else {
            throw .limit("there are more than \(Self.maximumCount) figures")
        }
        let figure = try Figure(parsing: bytes)
        guard !all.contains(where: { $0.name.hasSameBytes(as: figure.name) }) else {
            throw .meaningless("the figure '\(figure.name)' occurs twice")
        }
        all.append(figure)
    }

    func write(_ field: Int, to writer: inout ByteWriter) {
        for figure in all {
            writer.write(message: field) { writer in figure.write(to: &writer) }
        }
    }
}

extension Figure {
    private enum Number {
        static let name = 1
        static let value = 2
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var name: Identifier?
        var value: UInt64 = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.name: name = try reader.identifier()
            case Number.value: value = try reader.number()
            default: try reader.skip()
            }
        }
        guard let name else { throw .malformed }
        self.init(name: name.text, value: value)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.name, nonempty: name)
        writer.write(Number.value, nonzero: min(value, WireProtocol.greatestNumber))
    }
}
