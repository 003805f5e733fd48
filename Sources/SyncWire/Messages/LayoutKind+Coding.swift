import SyncBytes
import SyncLayout
import SyncModel

// The parts of a layout beside a section's items, and the coding of its options.

/// The protocol's message `LayoutSupplementary`.
extension CustomSupplementary {
    private enum Number {
        static let kind = 1
        static let place = 2
        static let size = 3
        static let offset = 4
        static let zIndex = 5
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var kind: Identifier?
        var place: Place?
        var size: ListSize?
        var offset = ListPoint()
        var zIndex = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.kind: kind = try reader.identifier()
            case Number.place: place = Place(number: try reader.uint32())
            case Number.size: size = try reader.finiteSize()
            case Number.offset: offset = try reader.finitePoint()
            case Number.zIndex: zIndex = try reader.integer()
            default: throw .badLayout("a layout's supplementary has no option \(field)")
            }
        }
        guard let kind, let place, let size else {
            throw .badLayout("a layout's supplementary has a kind, a known place and a size")
        }
        self.init(kind: kind, place: place, size: size, offset: offset, zIndex: zIndex)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.kind, kind)
        writer.write(field: Number.place, varint: place.number)
        writer.write(Number.size, size: size)
        let offset = ListPoint(x: offset.x.known, y: offset.y.known)
        if offset != ListPoint() { writer.write(message: Number.offset) { offset.write(to: &$0) } }
        if zIndex != 0 { writer.write(Number.zIndex, signed: zIndex) }
    }

    func add(to list: inout [CustomSupplementary]?) throws(FieldError) {
        try append(self, to: &list)
    }
}

/// The protocol's `SupplementaryPlace`.
extension CustomSupplementary.Place {
    fileprivate init?(number: UInt32) {
        switch number {
        case 1: self = .beforeItems
        case 2: self = .afterItems
        default:
            let corners = CustomSupplementary.Corner.allCases
            guard number >= 3, number - 3 < corners.count else { return nil }
            self = .atItem(corners[Int(number - 3)])
        }
    }

    fileprivate var number: UInt64 {
        switch self {
        case .beforeItems: 1
        case .afterItems: 2
        case .atItem(let corner): corner.choiceNumber + 2
        }
    }
}

/// The protocol's message `LayoutDecoration`.
extension Decoration {
    private enum Number {
        static let kind = 1
        static let inset = 2
        static let zIndex = 3
        static let cover = 4
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var kind: Identifier?
        var cover: Cover?
        var inset = Insets()
        var zIndex = -1
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.kind: kind = try reader.identifier()
            case Number.inset: inset = try reader.insets()
            case Number.zIndex: zIndex = try reader.integer()
            case Number.cover: cover = try reader.choice("cover")
            default: throw .badLayout("a layout's decoration has no option \(field)")
            }
        }
        guard let kind else { throw .badLayout("a layout's decoration has a kind") }
        self.init(kind: kind, cover: cover ?? .items, inset: inset, zIndex: zIndex)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.kind, kind)
        writer.writeUnlessNone(Number.inset, inset)
        if zIndex != -1 { writer.write(Number.zIndex, signed: zIndex) }
        if cover != .items { writer.write(Number.cover, choice: cover) }
    }

    func add(to list: inout [Decoration]?) throws(FieldError) {
        try append(self, to: &list)
    }
}

private func append<Element>(_ element: Element, to list: inout [Element]?) throws(FieldError) {
    guard list?.count ?? 0 < ViewLayout.maximumKinds else {
        throw .badLayout("a layout has more than \(ViewLayout.maximumKinds) kinds of a sort")
    }
    list = (list ?? []) + [element]
}

// MARK: Values

extension FieldReader {
    /// One of a few choices, which the protocol numbers from 1; 0 is none.
    mutating func choice<Choice: CaseIterable>(
        _ option: StaticString
    ) throws(FieldError) -> Choice? {
        let number = Int(try uint32())
        if number == 0 { return nil }
        guard let choice = Choice.allCases.dropFirst(number - 1).first else {
            throw .badLayout("a layout's \(option) can't be \(number)")
        }
        return choice
    }

    mutating func finite() throws(FieldError) -> Double {
        try double().checked()
    }

    mutating func finiteSize() throws(FieldError) -> ListSize {
        let numbers = try numbers(2)
        return ListSize(width: numbers[0], height: numbers[1])
    }

    mutating func finitePoint() throws(FieldError) -> ListPoint {
        let numbers = try numbers(2)
        return ListPoint(x: numbers[0], y: numbers[1])
    }

    /// The message `Insets`.
    mutating func insets() throws(FieldError) -> Insets {
        let numbers = try numbers(4)
        return Insets(
            top: numbers[0], left: numbers[1], bottom: numbers[2], right: numbers[3])
    }

    /// The numbers of a message that has no other fields, four at most.
    private mutating func numbers(_ count: Int) throws(FieldError) -> SIMD4<Double> {
        var numbers = SIMD4<Double>()
        var reader = FieldReader(try body())
        while let field = try reader.next() {
            guard (1...count).contains(field) else {
                throw .badLayout("a layout's size, point or insets have no field \(field)")
            }
            numbers[field - 1] = try reader.finite()
        }
        return numbers
    }
}

extension Double {
    fileprivate func checked() throws(FieldError) -> Double {
        guard isFinite else { throw .badLayout("the numbers of a layout are finite") }
        return self
    }

    /// The number as it is used: 0 if it is not finite, and 0 for −0.
    fileprivate var known: Double { isFinite ? self + 0 : 0 }
}

extension CaseIterable where Self: Equatable {
    /// Its number, from 1.
    fileprivate var choiceNumber: UInt64 {
        var number: UInt64 = 1
        for choice in Self.allCases {
            if choice == self { break }
            number += 1
        }
        return number
    }
}

extension ByteWriter {
    mutating func write(_ field: Int, choice: (some CaseIterable & Equatable)?) {
        if let choice { write(field: field, varint: choice.choiceNumber) }
    }

    mutating func write(_ field: Int, flag: Bool?) {
        if let flag { write(field: field, varint: flag ? 1 : 0) }
    }

    mutating func write(_ field: Int, number: Double?) {
        if let number { write(field: field, double: number.known) }
    }

    mutating func write(_ field: Int, signed number: Int) {
        write(tag: field, .varint)
        write(zigzag: Int64(number))
    }

    mutating func write(_ field: Int, size: ListSize?) {
        guard let size else { return }
        write(message: field) { writer in
            writer.write(1, nonzero: size.width.known)
            writer.write(2, nonzero: size.height.known)
        }
    }

    mutating func write(_ field: Int, insets: Insets?) {
        guard let insets else { return }
        write(message: field) { writer in
            writer.write(1, nonzero: insets.top.known)
            writer.write(2, nonzero: insets.left.known)
            writer.write(3, nonzero: insets.bottom.known)
            writer.write(4, nonzero: insets.right.known)
        }
    }

    /// Writes insets that are not 0 on all sides.
    mutating func writeUnlessNone(_ field: Int, _ insets: Insets) {
        let numbers = [insets.top, insets.left, insets.bottom, insets.right]
        if numbers.contains(where: { $0.known != 0 }) { write(field, insets: insets) }
    }
}
