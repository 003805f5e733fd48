// The end of a room that is deleted.
extension Room {
    /// Begins to end the room for good: nothing is done in it any more, and its members are shown
    /// nothing. ``dissolve()`` does the rest. Returns its state, to be freed where that delays
    /// nobody.
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

    /// Refuses what is unanswered for good, in order, and lets members go behind that, as far as
    /// the turn's budget goes. Returns who was a member.
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
        while budget.left > 0, views.hasGone { budget.spend(views.freeGone(atMost: budget.left)) }
        if members.list.isEmpty { members = MemberTable() }
        return gone
    }

    /// Whether nothing is unanswered, and nobody is in the room any more.
    package var isDissolved: Bool {
        place.isDeleting && answers.isEmpty && queue.transactions.isEmpty
            && members.list.isEmpty && !views.hasGone
    }

    /// Lets a member go of whom nothing is shown.
    func dismiss(_ member: Member) {
        budget.spend(WorkCost.leave.steps())
        member.hasLeft = true
        member.subscription.feed = nil
        for view in member.viewing.views { views.takeScreen(of: view) }
        members.remove(member)
        accounts.leave(member)
    }
}
