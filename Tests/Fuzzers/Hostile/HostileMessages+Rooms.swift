import SyncLayout
import SyncModel
import SyncWire

// Messages about rooms and their content.
extension HostileMessages {
    // MARK: Content

    private static func item(_ choices: inout InputBytes) -> Item {
        let id = name("i", choices.below(32))
        guard choices.oneIn(4) else { return Item(id: id) }
        let field = Field(name: name("f"), value: .text(text(&choices)))
        let content = try? ItemContent(fields: [field])
        return Item(id: id, content: content ?? ItemContent())
    }

    private static func path(_ choices: inout InputBytes) -> ItemPath {
        ItemPath(section: choices.below(3), item: choices.below(6))
    }

    static func snapshot(_ choices: inout InputBytes, _ asked: inout Asked) -> ServerMessage {
        if !choices.oneIn(4) { asked.revision = number(&choices) }
        let pieces = choices.list(below: 4) { choices in
            SnapshotPart.Piece(
                section: choices.oneIn(4) ? nil : ListSection(id: name("s", choices.below(4))),
                items: choices.list(below: 5) { item(&$0) })
        }
        return .snapshot(
            SnapshotPart(
                channel: channel(&choices, asked), revision: asked.revision, pieces: pieces,
                isFirst: !choices.oneIn(4), isLast: !choices.oneIn(4),
                totalItems: number(&choices)))
    }

    static func batch(_ choices: inout InputBytes, _ asked: inout Asked) -> ServerMessage {
        var stage = Stage()
        switch choices.below(6) {
        case 0: stage.deletes = [path(&choices)]
        case 1: stage.reloads = [Stage.PlacedItem(path: path(&choices), item: item(&choices))]
        case 2: stage.moves = [Stage.ItemMove(from: path(&choices), to: path(&choices))]
        case 3: stage.deleteSections = [choices.below(3)]
        case 4:
            let section = ListSection(id: name("s", choices.below(4)))
            stage.insertSections = [
                Stage.PlacedSection(index: choices.below(3), section: section)
            ]
        default:
            stage.inserts = choices.list(below: 4) { choices in
                Stage.PlacedItem(path: path(&choices), item: item(&choices))
            }
        }
        let from = choices.oneIn(8) ? number(&choices) : asked.revision
        asked.revision = choices.oneIn(8) ? number(&choices) : from &+ 1
        let batch = Batch(
            from: from, to: asked.revision, stages: choices.oneIn(8) ? [] : [stage],
            sections: choices.oneIn(4) ? choices.below(5) : 2,
            counts: choices.list(below: 2) { choices in
                SectionCount(section: choices.below(3), items: choices.below(8))
            })
        return .batch(
            BatchMessage(
                channel: channel(&choices, asked), batch: batch, isContinued: choices.oneIn(8),
                hasMore: choices.oneIn(8)))
    }

    static func authors(_ choices: inout InputBytes, _ asked: Asked) -> BatchAuthors {
        let authors = choices.list(below: 3) { choices in
            BatchAuthors.Author(client: name("c", choices.below(4)), user: text(&choices))
        }
        let transactions = choices.list(below: 4) { choices in
            BatchAuthors.Transaction(
                revision: number(&choices), counter: number(&choices), author: choices.below(3))
        }
        return BatchAuthors(
            room: handle(&choices, asked), authors: authors,
            transactions: transactions.filter { $0.author < authors.count })
    }

    // MARK: Answers

    static func ack(_ choices: inout InputBytes, _ asked: Asked) -> Ack {
        let superseded = choices.list(below: 3) { choices in
            Superseded(operation: choices.oneIn(4) ? .max : choices.below(3), reason: .exists)
        }
        return Ack(
            room: handle(&choices, asked),
            counter: choices.oneIn(4) ? number(&choices) : asked.counter,
            commit: Commit(revision: number(&choices), superseded: superseded))
    }

    static func reject(_ choices: inout InputBytes, _ asked: Asked) -> Reject {
        let codes: [Rejection.Code] = [
            .notAllowed, .unavailable, .unknownItem, .limitExceeded, .roomChanged, .forgotten,
            .badBase, .roomDeleted,
        ]
        var rejection = Rejection(
            operation: choices.oneIn(2) ? nil : choices.below(4),
            code: codes[choices.below(codes.count)], message: text(&choices))
        rejection.retryAfterMilliseconds = UInt32(truncatingIfNeeded: number(&choices))
        return Reject(
            room: handle(&choices, asked),
            counter: choices.oneIn(4) ? number(&choices) : asked.counter, rejection: rejection)
    }

    static func list(_ choices: inout InputBytes, _ asked: Asked) -> ServerMessage {
        let rooms = choices.list(below: 12) { choices in
            let text = String(repeating: "r", count: 1 + choices.below(128))
            return RoomName(text).map { name in
                RoomList.Entry(
                    name: name, revision: number(&choices),
                    members: UInt32(truncatingIfNeeded: number(&choices)))
            }
        }
        return .roomList(
            RoomList(
                request: request(&choices, asked), rooms: rooms.compactMap { $0 },
                hasMore: choices.oneIn(2)))
    }

    static func items(_ choices: inout InputBytes, _ asked: Asked) -> Items {
        Items(
            request: request(&choices, asked), revision: number(&choices),
            origin: choices.oneIn(4)
                ? nil : Origin(room: RoomID(high: 0, low: 1), epoch: EpochID(value: 1)),
            sections: choices.list(below: 4) { choices in
                Items.SectionName(index: choices.below(4), id: name("s", choices.below(4)))
            },
            items: choices.list(below: 6) { choices in
                Stage.PlacedItem(
                    path: ItemPath(section: choices.below(4), item: choices.below(256)),
                    item: Item(id: name("i", choices.below(8))))
            },
            next: choices.oneIn(2) ? name("i", choices.below(8)) : nil)
    }

    // MARK: Views and presence

    static func viewUpdate(_ choices: inout InputBytes, _ asked: inout Asked) -> ViewUpdate {
        asked.update = choices.oneIn(4) ? UInt64(choices.below(4)) : asked.update &+ 1
        var update = choices.viewUpdate(number: asked.update)
        asked.update = update.number
        update.head.room = handle(&choices, asked)
        update.head.view = choices.oneIn(8) ? ViewNumber(choices.below(4)) : asked.view
        update.head.serial = choices.oneIn(4) ? number(&choices) : asked.serial
        update.hasMore = choices.oneIn(4)
        return update
    }

    static func presence(_ choices: inout InputBytes, _ asked: Asked) -> PresenceUpdate {
        var state = PresenceState()
        state.selected = choices.list(below: 8) { name("i", $0.below(32)) }
        state.custom = try? EncodedValue(.text(String(text(&choices).prefix(1_000))))
        let dragged = choices.oneIn(4) ? DraggedItem(item: name("i", choices.below(6))) : nil
        let client = choices.oneIn(16) ? nil : name("c", Int(choices.byte()))
        return PresenceUpdate(
            room: handle(&choices, asked), client: client, user: text(&choices),
            displayName: text(&choices), state: state, left: client == nil || choices.oneIn(4),
            dragged: dragged)
    }

    static func dragTarget(_ choices: inout InputBytes, _ asked: Asked) -> DragTarget {
        let target = choices.oneIn(3) ? nil : DropTarget(section: name("s", choices.below(3)))
        return DragTarget(
            room: handle(&choices, asked), number: asked.drag, update: number(&choices),
            target: target)
    }
}
