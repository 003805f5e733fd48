import SyncEngine
import SyncModel
import SyncWire

extension Room {
    /// Bytes of queued transactions, of the record that is being made, and of answers, about. O(1).
    package var queuedBytes: Int {
        queue.transactions.byteCount + log.draft.byteCount + answers.byteCount
    }

    /// Bytes of its items and sections, of the past that it remembers, of its authors and its
    /// members. O(1).
    package var stateBytes: Int { quotaBytes + members.list.count * Room.bytesOfMember }

    /// The bytes that count for its quota: all of these but its members. O(1).
    package var quotaBytes: Int { state.byteCount }

    /// Bytes of the chunks on their way to members, in all encodings. O(1).
    package var chunkBytes: Int { accounts.chunks.used }

    /// A member takes about so many bytes.
    private static let bytesOfMember = 768

    // MARK: Growth

    /// Charges the room's growth to a member's holder at once. Otherwise many connections of one
    /// holder could exceed its share before the turn ends.
    package func noteGrowth(by member: Member) {
        if place.isHere { accounts.noteGrowth(to: growingBytes, by: member.holder) }
    }

    /// Charges a member's holder for what the member has written and what the room has grown by,
    /// and then reads its shares again.
    @inline(never)
    func countWritten(by member: Member) {
        member.countWritten()
        noteGrowth(by: member)
        member.noteShare()
    }

    /// The bytes to which transactions add.
    var growingBytes: Int { stateBytes + queuedBytes }

    // MARK: Quotas

    /// Whether the room is so near one of its quotas that each transaction is checked against it.
    var isNearQuota: Bool {
        quotaBytes + queue.transactions.byteCount + Room.bytesOfTurn > policy.maximumBytes
            || intake.quota != .all
    }

    /// Why a transaction exceeds the room's quota of disk or memory; `nil` if it does not. Over the
    /// quota of memory, transactions that only delete are accepted.
    func overQuota(_ transaction: TransactionView) -> Rejection? {
        if !intake.quota.takes(transaction) {
            counts.count(.disk)
            return Rejection(
                code: .limitExceeded, message: "the room has used its quota of disk")
        }
        guard quotaBytes > policy.maximumBytes, !transaction.onlyDeletes else { return nil }
        counts.count(.memory)
        return Rejection(
            code: .limitExceeded,
            message: "a room takes at most \(policy.maximumBytes) bytes of memory; only"
                + " transactions that delete are accepted")
    }

    /// More bytes than the transactions of a turn add.
    private static let bytesOfTurn = 4 << 20

    // MARK: Layouts

    /// Reserves memory for another layout, if the server has enough and the viewer's share allows
    /// it.
    func reserveLayout(for holder: Holder) -> Charge? {
        if intake.now != .all { return nil }
        let engine = state.engine
        let (items, sections) = (engine.itemCount, engine.sectionCount)
        let bytes = items * Room.layoutBytesOfItem + sections * Room.layoutBytesOfSection
        return accounts.reserve(min(bytes, policy.maximumBytesOfLayout), as: .views, for: holder)
    }

    /// Whether there is memory for another layout, which is made at once. Reserves it until the
    /// room is counted.
    func mayMakeLayout(for holder: Holder) -> Bool {
        guard let charge = reserveLayout(for: holder) else { return false }
        accounts.setAside(charge)
        return true
    }

    /// Estimates for a layout's bytes. If a layout takes more, the limits of layouts bound it.
    private static let layoutBytesOfItem = 32
    private static let layoutBytesOfSection = 1024
}

extension TransactionView {
    /// Whether all its operations delete.
    var onlyDeletes: Bool {
        var onlyDeletes = true
        forEachOperation { operation in
            onlyDeletes = operation.kind == .delete || operation.kind == .deleteSection
            return onlyDeletes
        }
        return onlyDeletes
    }
}
