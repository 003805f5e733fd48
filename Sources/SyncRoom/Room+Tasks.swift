package import SyncEngine

// What is asked of the room, but for transactions.
extension Room {
    /// Queues a task behind the transactions that its client has sent.
    ///
    /// - Parameter client: who asks, where it is not a member yet.
    package func add(_ task: RoomTask, of client: Identifier? = nil) {
        let position: UInt64
        if task.kind == .read {
            position = 0
        } else if let client {
            position = lastQueued(of: client)
        } else if let member = task.asker.flatMap({ members[$0] }) {
            position = lastQueued(of: member.client)
        } else {
            position = 0
        }
        if let replaced = queue.tasks.add(task, behind: position) { replaced.whenOver() }
    }

    /// How many of the room's transactions there are up to a client's last one.
    private func lastQueued(of client: Identifier) -> UInt64 {
        max(
            members.member(of: client)?.lastQueued ?? 0, members.leaving(client)?.lastQueued ?? 0)
    }

    /// Whether tasks wait.
    package var hasTasks: Bool { !queue.tasks.isEmpty }

    /// What has the room made for those who wait for it, see ``RoomTask/makesRoom``.
    package var makers: [() -> Bool] {
        var makers: [() -> Bool] = []
        queue.tasks.forEachUnblocked { if let maker = $0.makesRoom { makers.append(maker) } }
        return makers
    }

    /// Takes the next task whose turn has come.
    package func nextTask() -> RoomTask? {
        queue.tasks.next(behind: queue.transactions.takenCount)
    }

    /// Does a task that was taken.
    package func perform(_ task: RoomTask) {
        task.perform(self)
        task.whenOver()
    }

    /// Drops what a connection asked for that is gone.
    package func dropTasks(of asker: MemberID) {
        for task in queue.tasks.removeAll(of: asker) { task.whenOver() }
    }

    /// Drops what a connection wants to read.
    package func dropReads(of asker: MemberID) {
        for task in queue.tasks.removeReads(of: asker) { task.whenOver() }
    }

    /// Takes all tasks out, to be ended or asked of another room.
    package func takeTasks() -> TaskLanes {
        defer { queue.tasks = TaskLanes() }
        return queue.tasks
    }

    /// Takes those out that get an answer; members' views, drags and presence wait on.
    package func takeAnsweredTasks() -> TaskLanes {
        queue.tasks.removeAnswered()
    }
}
