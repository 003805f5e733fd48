import Synchronization

/// What a holder has written to disk, and whether it may write more.
///
/// What is written stays when its author leaves the room, and when nobody is in that any more. So it counts for whoever
/// wrote it as long as that is known to the server, but for no more than all that is on disk: what is deleted is no
/// longer there, whoever wrote it.
final class DiskUse: Sendable {
    private let pot: Account
    private let account: Account
    private let charge: Mutex<Charge>

    /// Who has written no more than this part of what may be on disk is as good as new.
    private static let littlePart = 65_536

    init(in pot: Account) {
        self.pot = pot
        account = Account(in: pot, share: .ofBytes)
        charge = Mutex(Charge(in: account, isPart: true))
    }

    /// Whether nobody gains if it is forgotten.
    var isLittle: Bool { account.held <= pot.limit / DiskUse.littlePart }

    /// Whether more may be written.
    var hasRoom: Bool { account.fits(1) }

    /// Counts what was written.
    func add(_ bytes: Int) {
        charge.withLock { $0.change(to: min($0.count + bytes, pot.held)) }
    }
}
