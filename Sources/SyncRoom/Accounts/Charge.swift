/// What somebody holds, in an account. It is charged before it is made, changed as it becomes more or less, and given
/// back once, with the charge.
///
/// Invariant: one thread at a time uses it. On a ``Tally`` that is the tally's loop; any thread may let go of it.
package final class Charge: @unchecked Sendable {
    // Sendable by the invariant.

    // Not checked for exclusive access, as it costs with each write to a connection: no access spans another.
    @exclusivity(unchecked) private var account: Account
    private let kind: MemoryKind?
    private let tally: Tally?
    /// Whether the pot has it from somebody else: then it counts only below the pot. So it is with a holder's part of a
    /// room, which the room itself is charged for.
    private let isPart: Bool
    // Nor is this one, which other modules therefore read through a call.
    @exclusivity(unchecked) private var held = 0

    /// Begins with nothing.
    ///
    /// - Parameters:
    ///   - kind: what memory is counted as.
    ///   - tally: counts small changes for the pot until the end of a turn.
    package init(
        in account: Account, as kind: MemoryKind? = nil, isPart: Bool = false,
        on tally: Tally? = nil
    ) {
        self.account = account
        self.kind = kind
        self.isPart = isPart
        self.tally = tally
    }

    deinit {
        if held != 0 { account.add(-held, as: kind, isPart: isPart, on: nil) }
    }

    /// How much it is.
    package var count: Int { held }

    /// Counts what there is now, whether that may be or not.
    @inline(__always)
    package func change(to count: Int) {
        if count == held { return }
        account.add(count - held, as: kind, isPart: isPart, on: tally)
        held = count
    }

    /// Takes more, or gives some back.
    ///
    /// - Returns: `false` if there is not so much; then nothing has changed.
    package func reserve(_ count: Int) -> Bool {
        guard count <= held || account.fits(count - held) else { return false }
        change(to: count)
        return true
    }

    /// Has another holder in the same pot pay for it.
    package func move(to other: Account) {
        if other === account { return }
        account.add(-held, as: kind, isPart: isPart, on: tally)
        account = other
        account.add(held, as: kind, isPart: isPart, on: tally)
    }
}
