import SyncCounts

// How a room that was deleted ends.
extension Room {
    /// Begins to dissolve the room: it does nothing and sends no content any more. ``dissolve()``
    /// does the rest. Returns its state, so that the caller can free it where that delays nobody.
    package func beginDissolving() -> RoomState? {
        let last = place.state
        place = .deleting
        log.forgetPending()
        accounts.dropSetAside()
        composing = Composing()
        views.removeAll()
        drags = DragTable()
        listeners = Listeners()
        presence = PresenceTable()
        return last
    }

    /// Refuses all unanswered transactions for good, in order, and then removes the members, within
    /// the turn's budget. Returns the memberships that ended.
    package func dissolve() -> [MembershipID] {
        while budget.left > 0, !answers.isEmpty {
            let entries = answers.removeFirst(atMost: WorkCost.answer.units(for: budget.left))
            budget.spend(WorkCost.answer.steps(entries.count))
            for entry in entries {
                if let member = entry.member { refuse(.roomDeleted, entry.counter, member) }
            }
        }
        queue.transactions.take(keeping: 0) { [budget] _, counter, member, _ in
            guard budget.left > 0 else { return false }
            budget.spend(WorkCost.transaction.steps())
            if !member.hasLeft { refuse(.roomDeleted, counter, member.id) }
            return true
        }
        var gone: [MembershipID] = []
        guard answers.isEmpty, queue.transactions.isEmpty else { return gone }
        while budget.left > 0, let member = members.list.last {
            gone.append(member.membership)
            dismiss(member)
        }
        while budget.left > 0, views.hasDiscarded {
            budget.spend(views.freeDiscarded(atMost: budget.left))
        }
        if members.list.isEmpty { members = MemberTable() }
        return gone
    }

    /// Whether all transactions are answered and all members are removed.
    package var isDissolved: Bool {
        place.isDeleting && answers.isEmpty && queue.transactions.isEmpty
            && members.list.isEmpty && !views.hasDiscarded
    }

    /// Removes a member of a room that is being deleted: its drags and its presence are gone
    /// already.
    func dismiss(_ member: Member) {
        budget.spend(WorkCost.leave.steps())
        member.hasLeft = true
        member.subscription.feed = nil
        for view in member.viewing.views { views.takeScreen(of: view) }
        counts.views.add(-member.viewing.views.count)
        members.remove(member)
        accounts.leave(member)
    }
}
