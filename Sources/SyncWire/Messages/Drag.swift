import SyncBytes
package import SyncLayout
package import SyncModel

/// A drag's number, which its client chooses: higher than those of the connection's earlier drags
/// in the room.
package typealias DragNumber = UInt32

/// Begins to drag an item in a view, moves it, drops it or cancels the drag.
package struct Drag: Sendable, Equatable {
    package enum Step: Sendable, Equatable {
        /// Begins the drag. If it is shared, the neighbours make room on the screens of others,
        /// too.
        case begin(Identifier, view: ViewNumber, isShared: Bool)
        /// Moves the item to a point, in the content's coordinates of the view's update `seen`.
        /// Updates are numbered from 1.
        case update(ListPoint, number: UInt64, seen: UInt64)
        /// Drops it: the transaction with this counter, which was sent before, moves it.
        case end(counter: UInt64)
        case cancel
    }

    /// The room's handle.
    package var room: RoomHandle
    package var number: DragNumber
    package var step: Step
    /// What is wrong with a received message. The server then refuses and ends the drag.
    package private(set) var fault: ContentFault?

    package init(room: RoomHandle, number: DragNumber, _ step: Step) {
        self.room = room
        self.number = number
        self.step = step
    }
}

extension Drag {
    private enum Number {
        static let room = 1
        static let drag = 2
        static let begin = 3
        static let update = 4
        static let end = 5
        static let cancel = 6
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var room: RoomHandle = 0
        var number: DragNumber = 0
        var step: Step?
        var fault: ContentFault?
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.drag: number = try reader.uint32()
            case Number.begin: step = try .begin(parsing: try reader.body(), noting: &fault)
            case Number.update: step = try .update(parsing: try reader.body(), noting: &fault)
            case Number.end: step = try .end(parsing: try reader.body(), noting: &fault)
            case Number.cancel:
                step = try reader.bool() ? .cancel : nil
            default: try reader.skip()
            }
        }
        if step == nil { fault = fault ?? ContentFault("this server knows no such step of a drag") }
        self.init(room: room, number: number, step ?? .cancel)
        self.fault = fault
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.drag, nonzero: number)
        switch step {
        case .begin(let item, let view, let isShared):
            writer.write(message: Number.begin) { writer in
                writer.write(1, item)
                writer.write(2, nonzero: view)
                writer.write(3, true: isShared)
            }
        case .update(let point, let number, let seen):
            writer.write(message: Number.update) { writer in
                writer.write(message: 1) { point.write(to: &$0) }
                writer.write(2, nonzero: number)
                writer.write(3, nonzero: seen)
            }
        case .end(let counter):
            writer.write(message: Number.end) { $0.write(1, nonzero: counter) }
        case .cancel: writer.write(Number.cancel, true: true)
        }
    }
}

extension Drag.Step {
    fileprivate static func begin(
        parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?
    ) throws(FieldError) -> Drag.Step? {
        var item: Identifier?
        var view: ViewNumber = 0
        var isShared = false
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: item = try reader.identifier(noting: &fault)
            case 2: view = try reader.uint32()
            case 3: isShared = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let item else {
            fault = fault ?? ContentFault("a drag that begins names an item")
            return nil
        }
        return .begin(item, view: view, isShared: isShared)
    }

    fileprivate static func update(
        parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?
    ) throws(FieldError) -> Drag.Step {
        var point = ListPoint()
        var number: UInt64 = 0
        var seen: UInt64 = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: point = try ListPoint(parsing: try reader.body())
            case 2: number = try reader.number(noting: &fault)
            case 3: seen = try reader.number(noting: &fault)
            default: try reader.skip()
            }
        }
        return .update(point, number: number, seen: seen)
    }

    fileprivate static func end(
        parsing bytes: UnsafeRawBufferPointer, noting fault: inout ContentFault?
    ) throws(FieldError) -> Drag.Step {
        var counter: UInt64 = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: counter = try reader.number(noting: &fault)
            default: try reader.skip()
            }
        }
        return .end(counter: counter)
    }
}
