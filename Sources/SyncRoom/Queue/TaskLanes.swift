/// The tasks that wait for a room's state, and for transactions of their own clients.
///
/// Each connection has a lane, in which its tasks keep their order; of its presence and its drag
/// updates only the latest waits. Reads are in a lane of their own, as they wait for the state
/// alone. The lanes take turns: in two lines, which take turns, too, of those whose tasks get an
/// answer and of the others. So all that can be refused is taken out in one step, however much it
/// is.
///
/// Cost: O(log n) for each task, with n lanes.
package struct TaskLanes {
    /// The lanes of those who join and who read.
    private var answered = LaneLine()
    /// Those of members' views, drags and presence.
    private var unanswered = LaneLine()
    private var areAnsweredFirst = false

    package var isEmpty: Bool { answered.isEmpty && unanswered.isEmpty }

    /// Adds a task behind so many of the room's transactions.
    ///
    /// - Returns: the one that it replaces, if any.
    mutating func add(_ task: RoomTask, behind position: UInt64) -> RoomTask? {
        let key = LaneLine.Key(of: task)
        // What waits in a lane keeps its order.
        if answered.has(key) || task.getsAnswer && !unanswered.has(key) {
            return answered.add(task, behind: position)
        }
        return unanswered.add(task, behind: position)
    }

    /// Calls `body` with each task that waits for the state alone and gets an answer, in the order
    /// of the lanes.
    func forEachUnblocked(_ body: (RoomTask) -> Void) {
        answered.forEachUnblocked(body)
    }

    /// Takes the next task that waits for no more than so many transactions.
    mutating func next(behind count: UInt64) -> RoomTask? {
        areAnsweredFirst.toggle()
        return areAnsweredFirst
            ? answered.next(behind: count) ?? unanswered.next(behind: count)
            : unanswered.next(behind: count) ?? answered.next(behind: count)
    }

    /// Takes the next task, whatever it waits for.
    package mutating func popFirst() -> RoomTask? { next(behind: .max) }

    /// Takes all tasks of a connection, which has left.
    mutating func removeAll(of asker: ConnectionID) -> [RoomTask] {
        answered.empty(.connection(asker)) + unanswered.empty(.connection(asker))
    }

    /// Takes what a connection reads, which has left.
    mutating func removeReads(of asker: ConnectionID) -> [RoomTask] {
        answered.empty(.reads(asker)) + unanswered.empty(.reads(asker))
    }

    /// Takes the lanes of those who join and who read, of which each task gets an answer.
    ///
    /// # Performance
    /// O(1).
    mutating func removeAnswered() -> TaskLanes {
        var taken = TaskLanes()
        swap(&taken.answered, &answered)
        return taken
    }
}
