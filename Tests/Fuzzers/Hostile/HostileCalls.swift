import CollSync
import ModelSupport
import SyncClient

/// What the program of a client with a hostile server does.
enum HostileCalls {
    static let mostRooms = 2
    static let mostViews = 4
}

extension HostileWorld {
    /// They differ by their spelling only.
    private static let names = [Spellings.composed, Spellings.decomposed]

    /// One call of the client, chosen by the input.
    func call(_ choices: inout InputBytes) {
        guard let client else { return connect() }
        if isBusy { return }
        let room = rooms.isEmpty ? nil : rooms[choices.below(rooms.count)]
        switch choices.below(8) {
        case 0: if choices.oneIn(4) { close() } else { join(client, &choices) }
        case 1, 2: if let room { change(room, &choices) }
        case 3: if let room { openView(of: room, &choices) }
        case 4: use(views.isEmpty ? nil : views[choices.below(views.count)], &choices)
        case 5: if let room { paste(in: room, &choices) }
        default: ask(client, &choices)
        }
    }

    private func join(_ client: CollectionClient, _ choices: inout InputBytes) {
        let name = HostileWorld.names[choices.below(2)]
        let options = JoinOptions(
            viewOnly: choices.oneIn(3), presence: !choices.oneIn(3), authors: choices.oneIn(3))
        begin("join") { [self] in
            let room = try await client.join(name, options: options)
            guard self.client === client, rooms.count < HostileCalls.mostRooms else { return }
            rooms.append(room)
            read(room)
        }
    }

    // MARK: Requests

    private func ask(_ client: CollectionClient, _ choices: inout InputBytes) {
        let name = HostileWorld.names[choices.below(2)]
        let revision: Revision? = choices.oneIn(2) ? nil : 5
        switch choices.below(6) {
        case 0:
            begin("rooms") {
                let rooms = try await client.rooms()
                let bytes = rooms.reduce(0) { $0 + $1.name.utf8.count }
                expect(bytes <= HostileWorld.limits.listBytes, "a list has \(bytes) bytes")
            }
        case 1: begin("stats") { _ = try await client.stats(of: name) }
        case 2: begin("deleteRoom") { try await client.deleteRoom(name) }
        case 3: begin("revoke") { try await client.revoke(.user("bob")) }
        case 4:
            begin("snapshot") {
                HostileWorld.check(try await client.snapshot(of: name, at: revision))
            }
        default:
            begin("history") { [self] in
                let history = client.history(of: name, from: 0, until: revision)
                for try await _ in history { await gate.pass() }
            }
        }
    }

    // MARK: Rooms

    private func change(_ room: CollectionRoom, _ choices: inout InputBytes) {
        let id = name("i", choices.below(4))
        let operations: [ListOperation] = [
            choices.oneIn(2) ? .delete(id) : .move(id, to: Placement(section: name("s", 1)))
        ]
        switch choices.below(8) {
        case 0, 1, 2: begin("submit") { try await room.submit(operations) }
        case 3:
            let number: UInt64? = choices.oneIn(2) ? nil : [1, 2, 7, .max][choices.below(4)]
            begin("send") { try await room.send(operations, number: number) }
        case 4, 5:
            try? room.setPresence(selected: [id], custom: .text("here"))
        case 6:
            room.leave()
            rooms.removeAll { $0 === room }
            views.removeAll { $0.room === room }
        default: begin("copy") { [self] in clipboard = try await room.copy([id]) }
        }
    }

    private func paste(in room: CollectionRoom, _ choices: inout InputBytes) {
        let ids = [name("i", choices.below(3))]
        if choices.oneIn(2) {
            begin("cut") { [self] in clipboard = try await room.cut(ids) }
        } else if let clipboard {
            let source = choices.oneIn(2) ? rooms.first : nil
            begin("paste") {
                var pasted = clipboard
                try await room.paste(&pasted, to: .end(of: "s0"), from: source)
            }
        }
    }

    // MARK: Views

    private func openView(of room: CollectionRoom, _ choices: inout InputBytes) {
        let bounds = choices.rect()
        let kinds = LayoutSpec.Kind.allCases
        let layout = LayoutSpec(kind: kinds[choices.below(kinds.count)])
        begin("openView") { [self] in
            let view = try await room.openView(layout, bounds: bounds)
            guard rooms.contains(where: { $0 === room }), views.count < HostileCalls.mostViews
            else { return }
            views.append(view)
            read(view)
        }
    }

    private func use(_ view: CollectionView?, _ choices: inout InputBytes) {
        guard let view else { return }
        let item = name("i", choices.below(4))
        let (x, y) = (choices.number(), choices.number())
        switch choices.below(10) {
        case 0: view.scroll(to: ListPoint(x: x, y: y), snapping: choices.oneIn(2))
        case 1: view.scroll(toItem: item)
        case 2: view.resize(to: ListSize(width: x, height: y))
        case 3: view.change(layout: LayoutSpec(kind: .waterfall))
        case 4, 5: begin("beginDrag") { try await view.beginDrag(of: item, shared: true) }
        case 6: view.drag(to: ListPoint(x: x, y: y))
        case 7: begin("endDrag") { try await view.endDrag() }
        case 8: view.cancelDrag()
        default:
            view.close()
            views.removeAll { $0 === view }
        }
    }
}
