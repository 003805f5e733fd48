import SyncEngine
import SyncLayout
import SyncRoom
import SyncWire
import Testing

@Suite("Rooms that are gone")
struct DissolutionTests {
    private struct Weak {
        weak var object: AnyObject?
    }

    private static let pots = Pots(memory: 1 << 30)

    /// A room with two members who view it, in one layout and in others, drag its items and show each other.
    private func crowd(_ holders: [Holder]) throws -> (room: Room, parts: [Weak]) {
        let room = Room(
            RoomState(), opening: .test, handle: 1, policy: RoomPolicy(),
            accounts: RoomAccounts(in: Self.pots))
        let members = holders.indices.map { MemberID(value: UInt64($0)) }
        for (member, holder) in zip(members, holders) {
            _ = try room.join(
                Admission(
                    member: member, client: id("c\(member.value)"), presence: true, holder: holder))
        }
        let transaction = Transaction(base: 0, operations: (0..<5).map { .insert("i\($0)") })
        _ = room.receive(try PackedTransaction(transaction), counter: 1, from: members[0])
        room.appended(through: try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
        for member in members {
            let views: [(LayoutSpec, Double)] = [
                (LayoutSpec(kind: .flow), 300),
                (LayoutSpec(kind: .flow), 300 + Double(member.value)),
                (LayoutSpec(kind: .mosaic), 300),
            ]
            for (number, (spec, width)) in views.enumerated() {
                let bounds = Rect(width: width, height: 500)
                try room.show(
                    ViewDemand(view: ViewNumber(number), spec: spec, bounds: bounds), to: member)
            }
        }
        serve(room, members, from: 0)
        for member in members {
            try room.drag(1, .begin(id("i\(member.value)"), view: 0, isShared: true), by: member)
            try room.drag(1, .update(Point(x: 50, y: 50), number: 1, seen: 0), by: member)
        }
        serve(room, members, from: 1000)
        #expect(room.layoutCount == 3)
        var parts = [Weak(object: room)]
        for member in try members.map({ try #require(room.member($0)) }) {
            parts.append(Weak(object: member))
            let views = try #require(
                Mirror(reflecting: member).descendant("viewing", "views") as? [AnyObject])
            #expect(views.count == 3)
            for view in views {
                parts.append(Weak(object: view))
                let layout = Mirror(reflecting: view).descendant("layout")
                parts.append(Weak(object: try #require(layout as? AnyObject)))
            }
        }
        return (room, parts)
    }

    private func serve(_ room: Room, _ members: [MemberID], from start: UInt64) {
        for now in start..<start + 10 {
            room.compose(with: MessageEncoder(), at: now * 100) { _ in }
            for member in members { room.ready(member) }
        }
    }

    /// Neither views and layouts nor drags keep those alive whose they are.
    @Test("of a room that is deleted, or only let go, nothing is left", arguments: [true, false])
    func nothingIsLeft(isDeleted: Bool) throws {
        let holders = (0..<2).map { _ in Holder(in: Self.pots) }
        var room: Room?
        let parts: [Weak]
        (room, parts) = try crowd(holders)
        #expect(parts.allSatisfy { $0.object != nil })
        #expect(holders.allSatisfy { $0.views.held > 0 })
        if isDeleted {
            #expect(room?.dissolve().count == 2)
            #expect(parts.dropFirst().allSatisfy { $0.object == nil })
            #expect(holders.allSatisfy { $0.isIdle && $0.views.held == 0 })
        }
        room?.accounts.close()
        room = nil
        #expect(parts.allSatisfy { $0.object == nil })
        #expect(holders.allSatisfy { $0.isIdle && $0.views.held == 0 })
    }
}
