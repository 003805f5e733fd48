import SeededRandom
import SyncJSON
import SyncLayout
import SyncModel

extension RandomModel {
    mutating func serverLine() throws -> ServerLine {
        switch pick(ServerLineKind.self) {
        case .welcome:
            return .welcome(
                ServerLine.Welcome(
                    client: string(upTo: 9), user: string(upTo: 9), room: string(upTo: 9),
                    role: string(upTo: 9), revision: revision(), version: "1.0",
                    id: string(upTo: 9), epoch: string(upTo: 9), isChanged: below(2) == 0))
        case .snapshot: return .snapshot(room: string(upTo: 9), try snapshot())
        case .ack:
            let lost = list(upTo: 3) { random in
                Superseded(
                    operation: random.below(100), reason: random.pick(Superseded.Reason.self),
                    changed: GuardedChanges(rawValue: UInt32(random.below(16)) | 1 << 31))
            }
            return .ack(tx: revision(), Commit(revision: revision(), superseded: lost))
        case .reject:
            let rejection = Rejection(
                operation: chance(50) ? below(100) : nil, code: pick(Rejection.Code.self),
                message: string(upTo: 30))
            return .reject(tx: revision(), rejection)
        case .batch: return .batch(try batch())
        case .viewUpdate: return .viewUpdate(try viewLine())
        case .presence: return .presence(try presenceLine())
        case .clipboard: return .clipboard(try clipboard())
        case .dragTarget:
            return .dragTarget(
                DragTargetLine(
                    view: try name().text, target: chance(50) ? try dropTarget() : nil))
        case .authors:
            return .authors(
                try list(upTo: 3) { random in
                    TransactionAuthor(
                        revision: random.revision(), number: random.revision(),
                        client: try random.name(), user: random.string(upTo: 9))
                })
        case .pasted:
            return .pasted(
                PastedLine(ids: try list(upTo: 3) { try $0.name() }, revision: revision()))
        case .nearLimit:
            return .nearLimit(QuotaUse(pick(Quota.self), used: revision(), limit: revision()))
        case .error:
            return .error(
                ServerLine.Failure(
                    code: string(upTo: 9), message: string(upTo: 30), retry: chance(50),
                    line: chance(50) ? below(1000) : nil))
        }
    }

    private mutating func presenceLine() throws -> PresenceLine {
        PresenceLine(
            client: string(upTo: 9), user: string(upTo: 9), name: string(upTo: 9),
            selected: try list(upTo: 3) { try $0.name() },
            highlighted: try list(upTo: 3) { try $0.name() },
            custom: chance(50) ? try value() : nil,
            dragged: chance(30) ? try draggedItem() : nil, left: chance(20))
    }

    private mutating func draggedItem() throws -> DraggedItem {
        let target = try dropTarget()
        return DraggedItem(item: try name(), target: chance(50) ? target : nil)
    }

    private mutating func dropTarget() throws -> DropTarget {
        DropTarget(section: try name(), after: chance(50) ? try name() : nil)
    }

    private mutating func clipboard() throws -> Clipboard {
        Clipboard(
            room: RoomName(try name().text)?.text ?? "room",
            items: try list(upTo: 3) { try $0.item() }, isCut: chance(50),
            revision: chance(50) ? revision() : nil, origin: chance(50) ? origin() : nil)
    }

    mutating func origin() -> RoomOrigin {
        RoomOrigin(id: string(upTo: 4), epoch: string(upTo: 4))
    }

    mutating func clipboardCommand() throws -> ClipboardCommand {
        switch pick(ClipboardCommandKind.self) {
        case .copy: .copy(try list(upTo: 3) { try $0.name() })
        case .cut: .cut(try list(upTo: 3) { try $0.name() })
        case .paste:
            .paste(
                chance(50) ? try clipboard() : nil,
                to: Placement(section: try name(), position: .index(revision())))
        }
    }

    mutating func presenceCommand() throws -> PresenceCommand {
        PresenceCommand(
            selected: try list(upTo: 3) { try $0.name() },
            highlighted: try list(upTo: 3) { try $0.name() },
            custom: chance(50) ? try value() : nil)
    }

    mutating func snapshot() throws -> Snapshot {
        let sections = try list(upTo: 4) { random in
            Snapshot.SectionState(
                section: try random.section(), items: try random.list(upTo: 6) { try $0.item() })
        }
        return Snapshot(revision: revision(), sections: sections)
    }

    private mutating func path() -> ItemPath { ItemPath(section: below(9), item: below(1000)) }

    private mutating func placedItem() throws -> Stage.PlacedItem {
        Stage.PlacedItem(path: path(), item: try item())
    }

    private mutating func placedSection() throws -> Stage.PlacedSection {
        Stage.PlacedSection(index: below(9), section: try section())
    }

    mutating func batch() throws -> Batch {
        let stages = try list(upTo: 3) { random in
            var stage = Stage()
            stage.reloads = try random.list(upTo: 2) { try $0.placedItem() }
            stage.changedSections = try random.list(upTo: 2) { try $0.placedSection() }
            stage.insertSections = try random.list(upTo: 2) { try $0.placedSection() }
            stage.moveSections = random.list(upTo: 2) {
                Stage.SectionMove(from: $0.below(9), to: $0.below(9))
            }
            stage.deletes = random.list(upTo: 2) { $0.path() }
            stage.inserts = try random.list(upTo: 2) { try $0.placedItem() }
            stage.moves = random.list(upTo: 2) { Stage.ItemMove(from: $0.path(), to: $0.path()) }
            stage.deleteSections = random.list(upTo: 2) { $0.below(9) }
            return stage
        }
        return Batch(
            from: revision(), to: revision(), stages: stages, sections: below(9),
            counts: list(upTo: 3) { SectionCount(section: $0.below(9), items: $0.below(1000)) })
    }
}
