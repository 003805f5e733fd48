import SyncBytes
import SyncModel
import Testing

@testable import SyncRoom
@testable import SyncServer

/// The rates of all with whom a user shares rooms.
@Suite("All guests of a user")
struct GuestRateTests {
    /// Does something once, if the account may.
    private typealias Deed = @Sendable (ClientAccount, _ now: UInt64) -> Bool

    private static func input(
        bytes: Int = 0, messages: Int = 0, transactions: Int = 0
    ) -> Deed {
        { account, now in
            let wait = account.charge(bytes: 0, messages: 0, transactions: 0, at: now)
            guard wait == 0 else { return false }
            _ = account.charge(
                bytes: bytes, messages: messages, transactions: transactions, at: now)
            return true
        }
    }

    private static let deeds: [(name: String, deed: Deed)] = [
        ("new rooms", { $0.takeNewRoom(at: $1) == nil }),
        ("bytes", input(bytes: 1)), ("messages", input(messages: 1)),
        ("transactions", input(transactions: 1)),
        (
            "writes",
            { account, now in
                guard account.holder.writes.wait(at: now) == 0 else { return false }
                account.holder.writes.add(transactions: 1, bytes: 10, at: now)
                return true
            }
        ),
    ]

    private static func user() -> ClientAccount {
        var limits = AccountLimits()
        limits.newRooms = Rate(perMinute: 6000, burst: 100)
        limits.bytes = Rate(perSecond: 100)
        limits.messages = Rate(perSecond: 100)
        limits.transactions = Rate(perSecond: 100)
        limits.writes.transactions = Rate(perSecond: 100)
        limits.writes.bytes = Rate(perSecond: 1000)
        let accounts = AccountTable(limits, hash: SipHash(key: (1, 2)))
        return accounts.account(of: .user("ann"), at: 0)
    }

    /// How often the accounts do it in ten seconds: as often as each may, the first one first.
    private static func counts(_ deed: Deed, by accounts: [ClientAccount]) -> [Int] {
        var counts = accounts.map { _ in 0 }
        for now in stride(from: 0 as UInt64, to: 10_000, by: 10) {
            for (number, account) in accounts.enumerated() {
                while counts[number] < 10_000, deed(account, now) { counts[number] += 1 }
            }
        }
        return counts
    }

    @Test("may do half as much in a second as the user, out of the user's own")
    func halves() {
        for (name, deed) in Self.deeds {
            let alone = Self.counts(deed, by: [Self.user()])[0]
            #expect((900...1300).contains(alone), "\(name): \(alone)")
            let user = Self.user()
            let both = Self.counts(deed, by: [user.shares, user])
            #expect(
                2 * both[0] <= alone + 2 && 2 * both[0] > alone * 9 / 10,
                "\(name): \(both[0]) of \(alone)")
            #expect(abs(both[0] + both[1] - alone) <= 2, "\(name): \(both) of \(alone)")
        }
    }
}
