/// The tasks that wait for a room's state, and for transactions of their own clients.
///
/// Each connection has a lane, in which its tasks keep their order. Only the latest presence and
/// the latest drag update of a connection wait. A connection's reads have a second lane, as they
/// wait for the state only. The lanes take turns.
///
/// There are two lines of lanes, which alternate: one for tasks that get an answer, one for the
/// others. So all tasks that can be refused are removed in O(1).
///
/// Cost: O(log n) for each task, with n lanes.
package struct TaskLanes {
    /// The lanes of joins and reads.
    private var answered = LaneLine()
    /// The lanes of members' views, drags and presence.
    private var unanswered = LaneLine()
    private var areAnsweredFirst = false

    package var isEmpty: Bool { answered.isEmpty && unanswered.isEmpty }

    /// Adds a task that waits for so many of the room's transactions.
    ///
    /// - Returns: the task that it replaces, if any.
    mutating func add(_ task: RoomTask, behind position: UInt64) -> RoomTask? {
        let key = LaneLine.Key(of: task)
        // A connection's tasks keep their order, so they stay in one lane while any waits.
        if answered.has(key) || task.getsAnswer && !unanswered.has(key) {
            return answered.add(task, behind: position)
        }
        return unanswered.add(task, behind: position)
    }

    /// Calls `body` with each task that gets an answer and is not known to wait for transactions.
    func forEachUnblocked(_ body: (RoomTask) -> Void) {
        answered.forEachUnblocked(body)
    }

    /// Removes and returns the next task that waits for no more than so many transactions.
    mutating func next(behind count: UInt64) -> RoomTask? {
        areAnsweredFirst.toggle()
        return areAnsweredFirst
            ? answered.next(behind: count) ?? unanswered.next(behind: count)
            : unanswered.next(behind: count) ?? answered.next(behind: count)
    }

    /// Removes and returns the next task, whatever it waits for.
    package mutating func popFirst() -> RoomTask? { next(behind: .max) }

    /// Removes and returns the tasks of a connection, without its reads.
    mutating func removeAll(of asker: ConnectionID) -> [RoomTask] {
        answered.empty(.connection(asker)) + unanswered.empty(.connection(asker))
    }

    /// Removes and returns the reads of a connection.
    mutating func removeReads(of asker: ConnectionID) -> [RoomTask] {
        answered.empty(.reads(asker)) + unanswered.empty(.reads(asker))
    }

    /// Removes and returns the lanes of joins and reads. Each of their tasks gets an answer, except
    /// tasks that were queued behind one.
    ///
    /// # Performance
    /// O(1).
    mutating func removeAnswered() -> TaskLanes {
        var taken = TaskLanes()
        swap(&taken.answered, &answered)
        return taken
    }
}
