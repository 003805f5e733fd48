import SyncModel
import SyncWire

extension Collsync_V1_SnapshotPart {
    init(_ message: SnapshotPart) {
        switch message.channel {
        case .room(let handle): room = handle
        case .request(let id): request = id
        }
        revision = message.revision
        first = message.isFirst
        totalItems = message.totalItems
        pieces = message.pieces.map { piece in
            var form = Collsync_V1_SnapshotPiece()
            if let section = piece.section { form.section = Collsync_V1_Section(section) }
            form.items = piece.items.map(Collsync_V1_Item.init)
            return form
        }
        last = message.isLast
    }
}

extension Collsync_V1_BatchMessage {
    init(_ message: BatchMessage) {
        switch message.channel {
        case .room(let handle): room = handle
        case .request(let id): request = id
        }
        from = message.batch.from
        to = message.batch.to
        sections = UInt32(message.batch.sections)
        continued = message.isContinued
        stages = message.batch.stages.map(Collsync_V1_Stage.init)
        counts = message.batch.counts.map { count in
            var form = Collsync_V1_SectionCount()
            form.section = UInt32(count.section)
            form.items = UInt32(count.items)
            return form
        }
        more = message.hasMore
    }
}

extension Collsync_V1_Stage {
    init(_ stage: Stage) {
        reloads = stage.reloads.map(Collsync_V1_PlacedItem.init)
        changedSections = stage.changedSections.map(Collsync_V1_PlacedSection.init)
        insertSections = stage.insertSections.map(Collsync_V1_PlacedSection.init)
        moveSections = stage.moveSections.map { move in
            var form = Collsync_V1_SectionMove()
            form.from = UInt32(move.from)
            form.to = UInt32(move.to)
            return form
        }
        deletes = stage.deletes.map { path in
            var form = Collsync_V1_ItemPath()
            form.section = UInt32(path.section)
            form.item = UInt32(path.item)
            return form
        }
        inserts = stage.inserts.map(Collsync_V1_PlacedItem.init)
        moves = stage.moves.map { move in
            var form = Collsync_V1_ItemMove()
            form.fromSection = UInt32(move.from.section)
            form.fromItem = UInt32(move.from.item)
            form.toSection = UInt32(move.to.section)
            form.toItem = UInt32(move.to.item)
            return form
        }
        deleteSections = stage.deleteSections.map { UInt32($0) }
    }
}

extension Collsync_V1_PlacedItem {
    init(_ placed: Stage.PlacedItem) {
        section = UInt32(placed.path.section)
        item = UInt32(placed.path.item)
        content = Collsync_V1_Item(placed.item)
    }
}

extension Collsync_V1_PlacedSection {
    init(_ placed: Stage.PlacedSection) {
        section = UInt32(placed.index)
        content = Collsync_V1_Section(placed.section)
    }
}
