import SyncLayout
import SyncModel
import SyncWire

extension Collsync_V1_ViewRequest {
    init(_ message: ViewRequest) {
        room = message.room
        view = message.view
        if let layout = message.layout { self.layout = Collsync_V1_Layout(layout) }
        if let bounds = message.bounds { self.bounds = Collsync_V1_Rect(bounds) }
        if let overscan = message.overscan { self.overscan = overscan }
        seen = message.seen
        close = message.isClosed
        snap = message.snaps
        serial = message.serial
        if let anchor = message.anchor {
            self.anchor = Collsync_V1_Anchor()
            switch anchor {
            case .beginning: self.anchor.beginning = true
            case .item(let anchor):
                self.anchor.item = anchor.item.text
                guard anchor.distance != ListPoint() else { break }
                self.anchor.distance = Collsync_V1_Point()
                self.anchor.distance.x = anchor.distance.x
                self.anchor.distance.y = anchor.distance.y
            }
        }
    }
}

extension Collsync_V1_ViewUpdate {
    init(_ message: ViewUpdate) {
        first = message.isFirst
        more = message.hasMore
        transition = message.isTransition
        revision = message.revision
        if let size = message.contentSize {
            contentSize = Collsync_V1_Size()
            contentSize.width = size.width
            contentSize.height = size.height
        }
        if let shift = message.shift {
            self.shift = Collsync_V1_Point()
            self.shift.x = shift.x
            self.shift.y = shift.y
        }
        appeared = message.appeared.map(Collsync_V1_Appeared.init)
        changed = message.changed.map(Collsync_V1_Changed.init)
        disappeared = message.disappeared.map { entry in
            var form = Collsync_V1_Disappeared()
            form.key = entry.key
            if !entry.final.isEmpty { form.final = Collsync_V1_Element(entry.final) }
            return form
        }
        items = message.items.map(Collsync_V1_Item.init)
        sections = message.sections.map(Collsync_V1_Section.init)
    }
}

extension Collsync_V1_Appeared {
    init(_ entry: ViewUpdate.Appeared) {
        key = entry.key
        element = Collsync_V1_Element(entry.element)
        if !entry.initial.isEmpty { initial = Collsync_V1_Element(entry.initial) }
        id = entry.id.text
    }
}

extension Collsync_V1_Changed {
    init(_ entry: ViewUpdate.Changed) {
        key = entry.key
        if !entry.to.isEmpty { to = Collsync_V1_Element(entry.to) }
    }
}

extension Collsync_V1_Element {
    init(_ element: LayoutElement) {
        switch element.identity {
        case .cell(let path):
            category = .cell
            place(path.section, path.item)
        case .supplementary(let kind, let section):
            category = .supplementary
            self.kind = kind.text
            place(section, 0)
        case .itemSupplementary(let kind, let path):
            category = .itemSupplementary
            self.kind = kind.text
            place(path.section, path.item)
        case .decoration(let kind, let section):
            category = .decoration
            self.kind = kind.text
            place(section, 0)
        }
        if element.frame != ListRect() { frame = Collsync_V1_Rect(element.frame) }
        if element.zIndex != 0 { zIndex = Int64(element.zIndex) }
        if element.alpha != 1 { alpha = element.alpha }
        if element.scale != 1 { scale = element.scale }
        if element.isHidden { hidden = true }
    }

    private mutating func place(_ section: Int, _ item: Int) {
        if section != 0 { self.section = UInt32(section) }
        if item != 0 { self.item = UInt32(item) }
    }

    init(_ patch: ElementPatch) {
        if let section = patch.section { self.section = UInt32(section) }
        if let item = patch.item { self.item = UInt32(item) }
        if let frame = patch.frame { self.frame = Collsync_V1_Rect(frame) }
        if let zIndex = patch.zIndex { self.zIndex = Int64(zIndex) }
        if let alpha = patch.alpha { self.alpha = alpha }
        if let scale = patch.scale { self.scale = scale }
        if let isHidden = patch.isHidden { hidden = isHidden }
    }
}

extension Collsync_V1_Rect {
    init(_ rect: ListRect) {
        x = rect.x
        y = rect.y
        width = rect.width
        height = rect.height
    }
}
