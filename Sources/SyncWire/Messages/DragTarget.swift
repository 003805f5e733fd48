import SyncBytes
package import SyncLayout
import SyncModel

/// Where the item that the client drags would be dropped.
package struct DragTarget: Sendable, Equatable {
    /// The room's handle.
    package var room: RoomHandle
    package var number: DragNumber
    /// The last update of the drag that it takes into account; 0 if none has come.
    package var update: UInt64
    /// `nil` for the item's own place.
    package var target: DropTarget?

    package init(
        room: RoomHandle, number: DragNumber, update: UInt64 = 0, target: DropTarget? = nil
    ) {
        self.room = room
        self.number = number
        self.update = update
        self.target = target
    }
}

extension DragTarget {
    private enum Number {
        static let room = 1
        static let drag = 2
        static let update = 3
        static let section = 4
        static let after = 5
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, number: 0)
        var place = DropTarget.Parser()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.drag: number = try reader.uint32()
            case Number.update: update = try reader.number()
            case Number.section: place.section = try reader.identifier()
            case Number.after: place.after = try reader.identifier()
            default: try reader.skip()
            }
        }
        target = try place.finish()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.drag, nonzero: number)
        writer.write(Number.update, nonzero: update)
        target?.write(to: &writer, section: Number.section, after: Number.after)
    }
}

/// The message `Dragged`.
extension DraggedItem {
    private enum Number {
        static let item = 1
        static let section = 2
        static let after = 3
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var item: Identifier?
        var place = DropTarget.Parser()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.item: item = try reader.identifier()
            case Number.section: place.section = try reader.identifier()
            case Number.after: place.after = try reader.identifier()
            default: try reader.skip()
            }
        }
        guard let item else { throw .malformed }
        self.init(item: item, target: try place.finish())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.item, item)
        target?.write(to: &writer, section: Number.section, after: Number.after)
    }
}

extension DropTarget {
    /// A target as two fields of a message; neither if there is none.
    fileprivate struct Parser {
        var section: Identifier?
        var after: Identifier?

        func finish() throws(FieldError) -> DropTarget? {
            guard let section else {
                guard after == nil else { throw .malformed }
                return nil
            }
            return DropTarget(section: section, after: after)
        }
    }

    fileprivate func write(to writer: inout ByteWriter, section: Int, after: Int) {
        writer.write(section, self.section)
        if let sibling = self.after { writer.write(after, sibling) }
    }
}
