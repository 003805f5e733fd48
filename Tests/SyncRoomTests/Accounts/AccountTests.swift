import SeededRandom
import Testing

@testable import SyncRoom

@Suite("Accounts of memory and places")
struct AccountTests {
    // MARK: The rule

    /// Reserves one at a time for each holder until no holder gets any more.
    private func fill(_ holders: [Account]) -> [Charge] {
        var charges: [Charge] = []
        while true {
            let taken = holders.compactMap { $0.reserve(1) }
            if taken.isEmpty { return charges }
            charges += taken
        }
    }

    @Test(
        "a lone holder gets 8/9 of the bytes and half of the places", arguments: [1, 2, 9, 1000])
    func alone(limit: Int) {
        for share in [Share.ofBytes, .ofPlaces] {
            let pot = Account(limit: limit)
            let holder = Account(in: pot, share: share)
            let charges = fill([holder])
            let times = share == .ofBytes ? 8 : 1
            let most = times * limit / (1 + times)
            #expect((most...most + 1).contains(holder.used))
            #expect(pot.used == charges.count)
        }
    }

    @Test("greedy holders get equal shares, and a late one still gets something", arguments: 1...20)
    func greedy(count: Int) {
        let pot = Account(limit: 100_000)
        let holders = (0..<count).map { _ in Account(in: pot, share: .ofPlaces) }
        let charges = fill(holders)
        let each = 100_000 / (count + 1)
        #expect(holders.allSatisfy { ($0.used - each).magnitude <= 1 })
        let late = Account(in: pot, share: .ofPlaces)
        #expect(late.reserve(each / 2 - count) != nil)
        #expect(holders.allSatisfy { !$0.fits(1) })
        withExtendedLifetime(charges) {}
    }

    @Test("connections of one address share the share of the address")
    func connections() throws {
        let pot = Account(limit: 1000)
        let address = Account(in: pot, share: .ofPlaces)
        let greedy = Account(in: address, share: .ofPlaces)
        let charges = fill([greedy])
        // With x in use the address may have 1000 − x. That leaves its connection 1000 − 2x, so x
        // is 333.
        #expect((333...334).contains(greedy.used))
        let modest = Account(in: address, share: .ofPlaces)
        let place = try #require(modest.reserve(100))
        #expect(!greedy.fits(1))
        let other = Account(in: pot, share: .ofPlaces)
        #expect(other.fits(283) && !other.fits(285))
        withExtendedLifetime((charges, place)) {}
    }

    @Test("a lone connection gets a third of the places, and 64/73 of the bytes")
    func loneConnection() {
        for (share, most) in [(Share.ofPlaces, 1000 / 3), (.ofBytes, 1000 * 64 / 73)] {
            let address = Account(in: Account(limit: 1000), share: share)
            let connection = Account(in: address, share: share)
            let charges = fill([connection])
            #expect((most...most + 1).contains(charges.count))
        }
    }

    @Test("an account may have a limit of its own")
    func limit() throws {
        let pot = Account(limit: 1000)
        let holder = Account(limit: 10, in: pot)
        let charge = try #require(holder.reserve(8))
        #expect(holder.reserve(3) == nil && !charge.reserve(11) && charge.reserve(10))
        // A change counts even if it exceeds the limit.
        charge.change(to: 12)
        #expect(holder.used == 12 && !holder.fits(1))
    }

    @Test("what is nobody's part frees the pot, and no holder's own share")
    func unowned() throws {
        let pot = Account(limit: 900)
        let holder = Account(in: pot, share: .ofBytes)
        let charges = [pot.reserve(90), holder.reserve(300)]
        #expect(charges.allSatisfy { $0 != nil })
        // Alone the holder may have 800.
        #expect(holder.fits(500, withoutUnowned: 90) && !holder.fits(501, withoutUnowned: 90))
        #expect(!holder.fits(500))
        #expect(pot.fits(600, withoutUnowned: 90) && !pot.fits(601, withoutUnowned: 90))
        #expect(holder.couldFit(800) && !holder.couldFit(801))
    }

    @Test("one large reservation, single ones and steps reach the same amount", arguments: 1...20)
    func steps(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for share in [Share.ofBytes, .ofPlaces] {
            let pot = Account(limit: 200)
            let address = Account(in: pot, share: share)
            let holder = Account(in: address, share: share)
            let others = [pot, address].map {
                $0.reserve(Int.random(in: 0...20, using: &random))
            }
            let most = fill([holder]).count
            #expect(holder.used == 0 && holder.fits(most) && !holder.fits(most + 1))
            let charge = Charge(in: holder)
            while charge.reserve(min(most, charge.count + Int.random(in: 1...30, using: &random))) {
                if charge.count == most { break }
            }
            #expect(charge.count == most && !charge.reserve(most + 1))
            withExtendedLifetime(others) {}
        }
    }

    @Test("an account without a limit does not overflow")
    func noLimit() throws {
        let pot = Account(memoryLimit: .max)
        let holder = Account(in: pot, share: .ofBytes)
        let charge = try #require(holder.reserve(.max / 2))
        #expect(holder.reserve(.max, leaving: 1) == nil)
        #expect(holder.fits(1))
        withExtendedLifetime(charge) {}
    }

    @Test("a reservation that leaves some needs both amounts")
    func spare() {
        let pot = Account(limit: 100)
        #expect(pot.reserve(10, leaving: 91) == nil)
        #expect(pot.reserve(10, leaving: 90) != nil)
    }

    // MARK: Giving back

    @Test("a released charge is given back, and a moved charge moves its amount")
    func givingBack() {
        let pot = Account(memoryLimit: 1000)
        let (one, other) = (Account(in: pot), Account(in: pot))
        do {
            let charge = Charge(in: one, as: .views)
            charge.change(to: 70)
            charge.move(to: other)
            #expect((one.used, other.used, pot.used) == (0, 70, 70))
            #expect(pot.memory[.views] == 70)
        }
        #expect((other.used, pot.used) == (0, 0))
        #expect(pot.memory == MemoryFigures())
    }

    @Test("an account that is released with something charged in it traps")
    func leak() async {
        await #expect(processExitsWith: .failure) {
            Account(limit: 10, in: Account()).add(1, as: nil, isPart: false, on: nil)
        }
    }

    @Test("an amount that is given back twice traps")
    func twice() async {
        await #expect(processExitsWith: .failure) {
            let account = Account(in: Account())
            account.add(1, as: nil, isPart: false, on: nil)
            account.add(-2, as: nil, isPart: false, on: nil)
            account.add(1, as: nil, isPart: false, on: nil)
        }
    }

    @Test("a charge that is released before its tally settles leaves the pot correct")
    func releasedBeforeSettling() {
        let pot = Account(memoryLimit: .max)
        let holder = Account(in: pot, share: .ofBytes)
        let tally = Tally(of: pot)
        Charge(in: holder, as: .queues, on: tally).change(to: 100)
        #expect(pot.used == 0 && holder.fits(1))
        tally.settle()
        #expect(pot.used == 0 && pot.memory.total == 0)
    }

    @Test("a pot gets small changes of a loop at the end of its turn, and large ones at once")
    func tally() {
        let pot = Account(memoryLimit: 1 << 30)
        let tally = Tally(of: pot)
        let holder = Account(in: pot)
        let charge = Charge(in: holder, as: .queues, on: tally)
        charge.change(to: 1000)
        #expect((holder.used, pot.used) == (1000, 0))
        charge.change(to: 100_000)
        #expect((holder.used, pot.used) == (100_000, 99_000))
        tally.settle()
        #expect(pot.used == 100_000 && pot.memory[.queues] == 100_000)
    }
}
