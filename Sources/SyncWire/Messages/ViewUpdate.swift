import SyncBytes
package import SyncLayout
package import SyncModel

/// A change of a view's screen.
///
/// Each element on the screen has a **key** of its own from its appearance until it has
/// disappeared. The key identifies the element while its place changes. Elements name the item or
/// the section that they show. Its content is sent when the first element shows it, and when it
/// changes.
package struct ViewUpdate: Sendable, Equatable {
    package struct Appeared: Sendable, Equatable {
        package var key: UInt32
        package var element: LayoutElement
        /// The item of a cell and of an item's supplementary, the section of others.
        package var id: Identifier
        /// Its difference when it begins to appear.
        package var initial: ElementPatch

        /// What it shows.
        package var thing: ViewThing { ViewThing(id, shownBy: element.identity) }

        package init(
            key: UInt32, element: LayoutElement, of id: Identifier,
            initial: ElementPatch = ElementPatch()
        ) {
            self.key = key
            self.element = element
            self.id = id
            self.initial = initial
        }
    }

    package struct Changed: Sendable, Equatable {
        package var key: UInt32
        /// Its difference from before.
        package var to: ElementPatch

        package init(key: UInt32, to: ElementPatch) {
            self.key = key
            self.to = to
        }
    }

    package struct Disappeared: Sendable, Equatable {
        package var key: UInt32
        /// Its difference from before when it has disappeared.
        package var final: ElementPatch

        package init(key: UInt32, final: ElementPatch = ElementPatch()) {
            self.key = key
            self.final = final
        }
    }

    /// Which update of which view it is; the rest is the same for all views whose screens change
    /// alike.
    package struct Head: Sendable, Equatable {
        /// The room's handle.
        package var room: RoomHandle = 0
        package var view: ViewNumber = 0
        /// Counts the updates of the view, from 1.
        package var number: UInt64 = 0
        /// The newest request of the view that it answers; it answers all earlier ones, too.
        package var serial: UInt64 = 0
    }

    package var head: Head
    /// The view was opened, so nothing from before is on the screen.
    package var isFirst: Bool
    /// The layout changed: appearing elements begin at their places in the former layout.
    package var isTransition: Bool
    package var revision: Revision
    /// The content's size, if it is another one than before.
    package var contentSize: ListSize?
    /// By how much the bounds are moved, so that the screen's elements stay in place.
    package var shift: ListPoint?
    package var appeared: [Appeared]
    package var changed: [Changed]
    package var disappeared: [Disappeared]
    /// Whether the screen is incomplete; the rest comes with the next update.
    package var hasMore: Bool
    /// Items of which no element was on the screen before, or whose content changed.
    package var items: [Item]
    /// Sections, likewise.
    package var sections: [ListSection]

    package var room: RoomHandle { head.room }
    package var view: ViewNumber { head.view }
    package var number: UInt64 { head.number }
    package var serial: UInt64 { head.serial }

    package init(
        room: RoomHandle, view: ViewNumber, number: UInt64, serial: UInt64 = 0, revision: Revision,
        isFirst: Bool = false, isTransition: Bool = false, contentSize: ListSize? = nil,
        shift: ListPoint? = nil,
        appeared: [Appeared] = [], changed: [Changed] = [], disappeared: [Disappeared] = [],
        hasMore: Bool = false, items: [Item] = [], sections: [ListSection] = []
    ) {
        head = Head(room: room, view: view, number: number, serial: serial)
        self.revision = revision
        self.isFirst = isFirst
        self.isTransition = isTransition
        self.contentSize = contentSize
        self.shift = shift
        self.appeared = appeared
        self.changed = changed
        self.disappeared = disappeared
        self.hasMore = hasMore
        self.items = items
        self.sections = sections
    }
}

// MARK: - Bytes

extension ViewUpdate {
    private enum Number {
        static let first = 1
        static let revision = 2
        static let contentSize = 3
        static let shift = 4
        static let appeared = 5
        static let changed = 6
        static let disappeared = 7
        static let transition = 8
        static let more = 9
        static let items = 10
        static let sections = 11
    }

    /// Reads the message; its head is still to come.
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, view: 0, number: 0, revision: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.first: isFirst = try reader.bool()
            case Number.revision: revision = try reader.number()
            case Number.contentSize: contentSize = try reader.size()
            case Number.shift: shift = try ListPoint(parsing: try reader.body())
            case Number.appeared: appeared.append(try Appeared(parsing: try reader.body()))
            case Number.changed: changed.append(try Changed(parsing: try reader.body()))
            case Number.disappeared: disappeared.append(try Disappeared(parsing: try reader.body()))
            case Number.transition: isTransition = try reader.bool()
            case Number.more: hasMore = try reader.bool()
            case Number.items: items.append(try reader.item())
            case Number.sections: sections.append(try reader.section())
            default: try reader.skip()
            }
        }
    }

    /// Writes the message without its head.
    func write(to writer: inout ByteWriter) {
        writer.write(Number.first, true: isFirst)
        writer.write(Number.revision, nonzero: revision)
        if let contentSize {
            writer.write(message: Number.contentSize) { writer in
                writer.write(1, nonzero: contentSize.width)
                writer.write(2, nonzero: contentSize.height)
            }
        }
        if let shift { writer.write(message: Number.shift) { shift.write(to: &$0) } }
        for entry in appeared {
            writer.write(message: Number.appeared) { entry.write(to: &$0) }
        }
        for entry in changed { writer.write(message: Number.changed) { entry.write(to: &$0) } }
        for entry in disappeared {
            writer.write(message: Number.disappeared) { entry.write(to: &$0) }
        }
        writer.write(Number.transition, true: isTransition)
        writer.write(Number.more, true: hasMore)
        for item in items { writer.write(Number.items, item) }
        for section in sections { writer.write(Number.sections, section) }
    }
}

/// The message `ViewHead`.
extension ViewUpdate.Head {
    private enum Number {
        static let room = 1
        static let view = 2
        static let number = 3
        static let serial = 4
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.view: view = try reader.uint32()
            case Number.number: number = try reader.number()
            case Number.serial: serial = try reader.number()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.view, nonzero: view)
        writer.write(Number.number, nonzero: number)
        writer.write(Number.serial, nonzero: serial)
    }

    /// How many bytes it takes as a field of a frame.
    var fieldCount: Int {
        let values = [UInt64(room), UInt64(view), number, serial].filter { $0 > 0 }
        let count = values.reduce(0) { $0 + 1 + ByteWriter.varintSize($1) }
        let tag = UInt64(FrameNumber.viewHead) << 3 | UInt64(WireType.lengthDelimited.rawValue)
        return ByteWriter.varintSize(tag) + ByteWriter.varintSize(UInt64(count)) + count
    }
}

extension ViewUpdate.Appeared {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var key: UInt32 = 0
        var element: LayoutElement?
        var id: Identifier?
        var initial = ElementPatch()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: key = try reader.uint32()
            case 2: element = try ElementPatch.element(parsing: try reader.body())
            case 3: initial = try ElementPatch(parsing: try reader.body())
            case 4: id = try reader.identifier()
            default: try reader.skip()
            }
        }
        guard let element, let id else { throw .malformed }
        self.init(key: key, element: element, of: id, initial: initial)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(1, nonzero: key)
        writer.write(message: 2) { ElementPatch.write(element, to: &$0) }
        if !initial.isEmpty { writer.write(message: 3) { initial.write(to: &$0) } }
        writer.write(4, nonempty: id.text)
    }
}

extension ViewUpdate.Changed {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(key: 0, to: ElementPatch())
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: key = try reader.uint32()
            case 2: to = try ElementPatch(parsing: try reader.body())
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(1, nonzero: key)
        if !to.isEmpty { writer.write(message: 2) { to.write(to: &$0) } }
    }
}

extension ViewUpdate.Disappeared {
    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(key: 0)
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: key = try reader.uint32()
            case 2: final = try ElementPatch(parsing: try reader.body())
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(1, nonzero: key)
        if !final.isEmpty { writer.write(message: 2) { final.write(to: &$0) } }
    }
}
