import SyncEngine
import SyncModel
import SyncWire

extension Room {
    /// How many bytes wait to be applied, to be answered and to be on disk, about. O(1).
    package var queuedBytes: Int {
        queue.transactions.byteCount + log.draft.byteCount + answers.byteCount
    }

    /// How many bytes its items and sections take, what it remembers of the past, its authors and
    /// its members. O(1).
    package var stateBytes: Int { quotaBytes + members.list.count * Room.bytesOfMember }

    /// What counts for its quota of bytes: all that but its members. O(1).
    package var quotaBytes: Int { state.engine.byteCount + state.authors.byteCount }

    /// What members are being sent, with all encodings. O(1).
    package var chunkBytes: Int { accounts.chunks.held }

    /// A member takes about so many bytes.
    private static let bytesOfMember = 768

    // MARK: Growth

    /// Has a member's holder pay for what the room has grown by before the turn ends, in which many
    /// of its connections may write.
    package func noteGrowth(by member: Member) {
        if place.isHere { accounts.noteGrowth(to: growingBytes, by: member.holder) }
    }

    /// Counts what a member has written and what the room has grown by, and judges its shares anew.
    @inline(never)
    func countWritten(by member: Member) {
        member.countWritten()
        noteGrowth(by: member)
        member.noteShare()
    }

    /// What transactions add to, before they are on disk.
    var growingBytes: Int { stateBytes + queuedBytes }

    // MARK: Quotas

    /// Whether the room is so near one of its quotas of bytes that each transaction is judged by
    /// it.
    var isNearQuota: Bool {
        quotaBytes + queue.transactions.byteCount + Room.bytesOfTurn > policy.maximumBytes
            || intake.quota != .all
    }

    /// Why a transaction does not fit in the room's quotas of bytes; `nil` if it does. What deletes
    /// always does.
    func overQuota(_ transaction: TransactionView) -> Rejection? {
        if !intake.quota.takes(transaction) {
            return Rejection(
                code: .limitExceeded, message: "the room has as much on disk as it may have")
        }
        guard quotaBytes > policy.maximumBytes, !transaction.onlyDeletes else { return nil }
        return Rejection(
            code: .limitExceeded,
            message: "a room takes at most \(policy.maximumBytes) bytes of memory; what deletes is"
                + " still taken")
    }

    /// More than the transactions of a turn add.
    private static let bytesOfTurn = 4 << 20

    // MARK: Layouts

    /// Sets memory aside for another layout of the room, if it suffices and a viewer's share
    /// allows.
    func reserveLayout(for holder: Holder) -> Charge? {
        if intake.now != .all { return nil }
        let engine = state.engine
        let (items, sections) = (engine.itemCount, engine.sectionCount)
        let bytes = items * Room.layoutBytesOfItem + sections * Room.layoutBytesOfSection
        return accounts.reserve(min(bytes, policy.maximumBytesOfLayout), as: .views, for: holder)
    }

    /// Whether memory suffices for another layout that is made at once.
    func mayMakeLayout(for holder: Holder) -> Bool {
        guard let charge = reserveLayout(for: holder) else { return false }
        accounts.setAside(charge)
        return true
    }

    /// What a layout takes for an item and for a section; where it is more, the limits of layouts
    /// bound it.
    private static let layoutBytesOfItem = 32
    private static let layoutBytesOfSection = 1024
}

extension TransactionView {
    /// Whether it holds nothing but deletes.
    var onlyDeletes: Bool {
        var onlyDeletes = true
        forEachOperation { operation in
            onlyDeletes = operation.kind == .delete || operation.kind == .deleteSection
            return onlyDeletes
        }
        return onlyDeletes
    }
}
