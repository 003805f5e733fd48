import SyncBytes
package import SyncLayout
import SyncModel

/// A view's number, which its client chooses: one of the views that a connection has in a room.
package typealias ViewNumber = UInt32

/// Opens a view of a room, changes one that is open, or closes it. What is `nil` stays as it was.
package struct ViewRequest: Sendable, Equatable {
    /// The room's handle.
    package var room: RoomHandle
    package var view: ViewNumber
    /// How the room is laid out. A view that opens needs it.
    package var layout: ViewLayout?
    /// What is on the screen, in the content's coordinates. A view that opens needs it.
    package var bounds: ListRect?
    /// How far beyond the bounds elements are wanted, in points.
    package var overscan: Double?
    /// The number of the last update that the client has applied: the bounds are in its
    /// coordinates.
    package var seen: UInt64
    /// The bounds go on to the next place where the layout lets scrolling end.
    package var snaps: Bool
    /// Where the bounds are to go.
    package var anchor: ViewAnchor?
    package var isClosed: Bool
    /// Counts the view's requests, ascending.
    package var serial: UInt64
    /// What is wrong with a name or an option in a received message. The server then ignores the
    /// rest and refuses the view.
    package private(set) var fault: ContentFault?

    package init(
        room: RoomHandle, view: ViewNumber, layout: ViewLayout? = nil, bounds: ListRect? = nil,
        overscan: Double? = nil, seen: UInt64 = 0, snaps: Bool = false,
        anchor: ViewAnchor? = nil, isClosed: Bool = false, serial: UInt64 = 0
    ) {
        self.room = room
        self.view = view
        self.layout = layout
        self.bounds = bounds
        self.overscan = overscan
        self.seen = seen
        self.snaps = snaps
        self.anchor = anchor
        self.isClosed = isClosed
        self.serial = serial
    }
}

extension ViewRequest {
    private enum Number {
        static let room = 1
        static let view = 2
        static let layout = 3
        static let bounds = 4
        static let overscan = 5
        static let seen = 6
        static let close = 7
        static let snap = 8
        static let anchor = 9
        static let serial = 10
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, view: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.view: view = try reader.uint32()
            case Number.layout:
                layout = try ViewLayout(parsing: try reader.body(), noting: &fault)
            case Number.bounds: bounds = try ListRect(parsing: try reader.body())
            case Number.overscan: overscan = try reader.double()
            case Number.seen: seen = try reader.number(noting: &fault)
            case Number.close: isClosed = try reader.bool()
            case Number.snap: snaps = try reader.bool()
            case Number.anchor:
                anchor = try ViewAnchor(parsing: try reader.body(), noting: &fault)
            case Number.serial: serial = try reader.number(noting: &fault)
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.view, nonzero: view)
        if let layout { writer.write(message: Number.layout) { layout.write(to: &$0) } }
        if let bounds { writer.write(message: Number.bounds) { bounds.write(to: &$0) } }
        if let overscan { writer.write(field: Number.overscan, double: overscan) }
        writer.write(Number.seen, nonzero: seen)
        writer.write(Number.close, true: isClosed)
        writer.write(Number.snap, true: snaps)
        if let anchor { writer.write(message: Number.anchor) { anchor.write(to: &$0) } }
        writer.write(Number.serial, nonzero: serial)
    }
}

extension ViewAnchor {
    /// The message `Anchor`. One that is neither an item nor the beginning, or both, is noted as a
    /// fault and read as `nil`.
    init?(
        parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?
    ) throws(FieldError) {
        var item: Identifier?
        var distance = ListPoint()
        var isBeginning = false
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: item = try reader.identifier(noting: &fault)
            case 2: distance = try ListPoint(parsing: try reader.body())
            case 3: isBeginning = try reader.bool()
            default: try reader.skip()
            }
        }
        switch (item, isBeginning) {
        case (let item?, false): self = .item(ItemAnchor(item: item, distance: distance))
        case (nil, true): self = .beginning
        case (nil, false), (.some, true):
            fault = fault ?? ContentFault("an anchor names an item, or is the beginning")
            return nil
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .item(let anchor):
            writer.write(1, anchor.item)
            guard anchor.distance != ListPoint() else { break }
            writer.write(message: 2) { anchor.distance.write(to: &$0) }
        case .beginning: writer.write(3, true: true)
        }
    }
}

/// The messages `Rect` and `Point`.
extension ListRect {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: x = try reader.double()
            case 2: y = try reader.double()
            case 3: width = try reader.double()
            case 4: height = try reader.double()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(1, nonzero: x)
        writer.write(2, nonzero: y)
        writer.write(3, nonzero: width)
        writer.write(4, nonzero: height)
    }
}

extension ListPoint {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: x = try reader.double()
            case 2: y = try reader.double()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(1, nonzero: x)
        writer.write(2, nonzero: y)
    }
}
