import SeededRandom
import SyncBytes
import SyncModel
import SyncRoom
import Testing

@testable import SyncServer

/// The accounts of addresses and users in a table that is too small for all of them.
@Suite struct AccountTableTests {
    /// A key: even seeds test addresses, odd ones users.
    private static func key(_ number: Int, _ seed: UInt64 = 0) -> AccountKey {
        seed % 2 == 0
            ? .address(NetworkAddress(version4: 0x0A00_0000 + UInt32(number)))
            : .user(Identifier(stringLiteral: "user \(number)"))
    }

    @Test func addressesOfOneHolderShareAnAccount() throws {
        let accounts = ClientAccounts(
            ServerConfiguration(), hash: SipHash(key: (1, 2)), in: Pots())
        let one = try #require(NetworkAddress("2001:db8::1"))
        let other = try #require(NetworkAddress("2001:db8::ffff:1"))
        let stranger = try #require(NetworkAddress("2001:db8:0:1::1"))
        #expect(accounts.account(of: one, at: 0) === accounts.account(of: other, at: 5))
        #expect(accounts.account(of: one, at: 0) !== accounts.account(of: stranger, at: 0))
    }

    /// Users have accounts of their own, whatever they are called.
    @Test func usersAreNotAddresses() throws {
        let accounts = ClientAccounts(
            ServerConfiguration(), hash: SipHash(key: (1, 2)), in: Pots())
        let address = try #require(NetworkAddress("10.0.0.1"))
        let user = accounts.account(ofUser: "10.0.0.1", at: 0)
        #expect(user.isUser && user === accounts.account(ofUser: "10.0.0.1", at: 5))
        #expect(user !== accounts.account(ofUser: "10.0.0.2", at: 0))
        let other = accounts.account(of: address, at: 0)
        #expect(user !== other && !other.isUser)
    }

    /// No address and no user exceeds its limits, at once or in any span of time, whatever others
    /// do. If the table has space for all, every one gets exactly its limits.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func nobodyEscapesItsLimits(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var limits = AccountLimits()
        limits.connections = 4
        limits.newRooms = Rate(perMinute: 60, burst: 5)
        let isRoomy = seed % 4 == 0
        let table = AccountTable(
            limits, hash: SipHash(key: (seed, 9)), capacity: isRoomy ? 1 << 16 : 16)
        var open: [Int: [Charge]] = [:]
        var made: [Int: [UInt64]] = [:]
        var plain: [Int: TokenBucket] = [:]
        var now: UInt64 = 0
        for _ in 0..<3000 {
            now += numbers.next() % 40
            let who = Int(numbers.next() % 60)
            let account = table.account(of: Self.key(who, seed / 4), at: now)
            switch numbers.next() % 4 {
            case 0, 1:
                let place = account.connections.reserve(1)
                if isRoomy { #expect((place != nil) == (open[who, default: []].count < 4)) }
                if let place { open[who, default: []].append(place) }
            case 2: _ = open[who]?.popLast()
            default:
                let isMade = account.takeNewRoom(at: now) == nil
                if isRoomy {
                    let mayMake = plain[who, default: TokenBucket()].take(limits.newRooms, at: now)
                    #expect(mayMake == isMade)
                }
                if isMade { made[who, default: []].append(now) }
            }
            #expect(open[who, default: []].count <= 4)
        }
        for times in made.values {
            for (first, start) in times.enumerated() {
                for (last, end) in times.enumerated().dropFirst(first) {
                    #expect(last - first + 1 <= 5 + Int(end - start) / 1000 + 1)
                }
            }
        }
    }

    /// An account in use is not forgotten; an account with full buckets may be.
    @Test func whatIsUsedStays() {
        var limits = AccountLimits()
        limits.newRooms = Rate(perMinute: 60, burst: 2)
        let table = AccountTable(limits, hash: SipHash(key: (1, 2)), capacity: AccountTable.setSize)
        let victim = table.account(of: Self.key(0), at: 0)
        #expect(victim.takeNewRoom(at: 0) == nil && victim.takeNewRoom(at: 0) == nil)
        for number in 1..<1000 { _ = table.account(of: Self.key(number), at: 10) }
        #expect(table.account(of: Self.key(0), at: 10) === victim)
        #expect(victim.takeNewRoom(at: 10)?.retryAfterMilliseconds == 990)
        // By now the account has regained all that it used.
        for number in 1..<1000 { _ = table.account(of: Self.key(number), at: 5000) }
        #expect(table.account(of: Self.key(0), at: 5000) !== victim)
        // In a set full of used accounts all other addresses share one account.
        let places = (0..<8).map {
            table.account(of: Self.key($0), at: 6000).connections.reserve(1)
        }
        #expect(places.allSatisfy { $0 != nil })
        let others = (100..<200).map { table.account(of: Self.key($0), at: 6000) }
        #expect(others.allSatisfy { $0 === others[0] })
    }
}
