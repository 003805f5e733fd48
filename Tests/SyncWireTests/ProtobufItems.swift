import SyncModel
import SyncWire

extension Collsync_V1_ReadItems {
    init(_ message: ReadItems) {
        request = message.request
        room = message.room.text
        if let revision = message.revision { self.revision = revision }
        if let origin = message.origin { self.origin = Collsync_V1_Origin(origin) }
        limit = UInt32(message.query.limit)
        switch message.query.part {
        case .page(let section, let after):
            page = Collsync_V1_ItemPage()
            page.section = section?.text ?? ""
            page.after = after?.text ?? ""
        case .search(let text, let section, let after):
            search.text = text.text
            search.section = section?.text ?? ""
            search.after = after?.text ?? ""
        case .these(let ids):
            these = Collsync_V1_ItemList()
            these.ids = ids.map(\.text)
        }
    }
}

extension Collsync_V1_Items {
    init(_ message: Items) {
        request = message.request
        revision = message.revision
        if let origin = message.origin { self.origin = Collsync_V1_Origin(origin) }
        sections = message.sections.map { section in
            var form = Collsync_V1_SectionName()
            form.index = UInt32(section.index)
            form.id = section.id.text
            return form
        }
        items = message.items.map { placed in
            var form = Collsync_V1_PlacedItem()
            form.section = UInt32(placed.path.section)
            form.item = UInt32(placed.path.item)
            form.content = Collsync_V1_Item(placed.item)
            return form
        }
        next = message.next?.text ?? ""
    }
}
