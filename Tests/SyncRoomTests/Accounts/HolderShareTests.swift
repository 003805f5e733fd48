import RoomSupport
import SyncModel
import SyncRoom
import Testing

@Suite("Connections of one holder")
struct HolderShareTests {
    @Test("stay within its share when all write in one turn")
    func oneTurn() throws {
        let limit = 1 << 20
        let pots = Pots(memory: limit)
        let scene = RoomScene(turnSteps: 1 << 20, pots: pots)
        try scene.commit(scene.inserts(["first"], bytes: 100))
        let stranger = Holder(in: pots)
        let members = try (0..<20).map { _ in
            try scene.join(holder: Holder(in: pots, within: stranger))
        }
        scene.room.countMemory(own: 0, records: 0)
        for (number, member) in members.enumerated() {
            for counter in 1...50 as ClosedRange<UInt64> {
                let insert = try scene.inserts(["i\(number)-\(counter)"], bytes: 2000)
                let packed = try PackedTransaction(ListTransaction(base: 1, operations: insert))
                _ = scene.room.receive(packed, counter: counter, from: member)
                scene.room.applyQueued(at: 0)
            }
        }
        #expect(pots.memory.used > limit / 2)
        scene.room.countMemory(own: 0, records: 0)
        #expect(pots.memory.used < limit / 100 * 97)
    }

    @Test("of a user's guests have half of what the user may, out of the user's own")
    func guests() {
        func fill(_ account: Account) -> [Charge] {
            var charges: [Charge] = []
            while let charge = account.reserve(1) { charges.append(charge) }
            return charges
        }
        func makePots() -> Pots { Pots(memory: 2000, rooms: 200, readPlaces: 200, readBytes: 200) }
        let kinds: [(Holder) -> Account] = [
            { $0.memory }, { $0.rooms }, { $0.readPlaces }, { $0.readBytes },
        ]
        for (number, account) in kinds.enumerated() {
            let alone = fill(account(Holder(in: makePots()))).count
            let user = Holder(in: makePots())
            let guests = Holder(sharesOf: user)
            let charges = fill(account(guests))
            #expect(
                charges.count > 10 && 2 * charges.count <= alone + 1,
                "\(number): \(charges.count) of \(alone)")
            #expect(account(user).used == charges.count)
            let own = fill(account(user))
            #expect(own.count > 10 && own.count + charges.count <= alone + 1, "kind \(number)")
        }
    }
}
