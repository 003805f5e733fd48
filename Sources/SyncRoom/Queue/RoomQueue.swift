package import SyncModel

/// The queued transactions and tasks of a room.
///
/// Transactions are applied in the order in which they came. A task waits for the state, and for
/// the transactions that its own client sent before it. Tasks of one client run in their order, see
/// ``TaskLanes``.
struct RoomQueue: ~Copyable {
    var transactions = TransactionRuns()
    var tasks = TaskLanes()
}

// What is asked of the room, but for transactions.
extension Room {
    /// Queues a task after the transactions that its client has sent. A read waits for none.
    ///
    /// - Parameter client: the client that asks, if it is not a member yet.
    package func add(_ task: RoomTask, of client: Identifier? = nil) {
        let client = client ?? task.asker.flatMap { members[$0]?.client }
        let position = task.kind == .read ? 0 : client.map(lastQueued) ?? 0
        if let replaced = queue.tasks.add(task, behind: position) { replaced.whenOver() }
    }

    /// The position of a client's last transaction, see ``Member/lastQueued``.
    private func lastQueued(of client: Identifier) -> UInt64 {
        max(
            members.member(of: client)?.lastQueued ?? 0, members.leaving(client)?.lastQueued ?? 0)
    }

    /// Whether tasks are queued.
    package var hasTasks: Bool { !queue.tasks.isEmpty }

    /// The calls that would create the room, one of each queued task that has one, see
    /// ``RoomTask/refusalToMake``.
    package var makers: [() -> RoomRefusal?] {
        var makers: [() -> RoomRefusal?] = []
        queue.tasks.forEachUnblocked { if let maker = $0.refusalToMake { makers.append(maker) } }
        return makers
    }

    /// Removes and returns the next task that may run.
    package func nextTask() -> RoomTask? {
        queue.tasks.next(behind: queue.transactions.takenCount)
    }

    /// Runs a task that ``nextTask()`` returned.
    package func perform(_ task: RoomTask) {
        task.perform(self)
        task.whenOver()
    }

    /// Drops the tasks of a connection that has left, without its reads.
    package func dropTasks(of asker: ConnectionID) {
        for task in queue.tasks.removeAll(of: asker) { task.whenOver() }
    }

    /// Drops the reads of a connection.
    package func dropReads(of asker: ConnectionID) {
        for task in queue.tasks.removeReads(of: asker) { task.whenOver() }
    }

    /// Removes and returns all tasks. The caller ends them or gives them to another room.
    package func takeTasks() -> TaskLanes {
        defer { queue.tasks = TaskLanes() }
        return queue.tasks
    }

    /// Removes and returns the tasks that get an answer. Members' views, drags and presence stay
    /// queued.
    package func takeAnsweredTasks() -> TaskLanes {
        queue.tasks.removeAnswered()
    }
}

/// What is asked of a room, but for transactions.
package struct RoomTask {
    package enum Kind: Sendable {
        case join
        case view
        case drag
        /// A dragged item has moved.
        case dragUpdate
        case presence
        /// A request reads the room, its history or its figures.
        case read
    }

    package let kind: Kind
    /// The kind of message that asks for it, for measurements of its latency.
    package var message: StaticString?
    /// The connection that asks; `nil` if it is the server.
    package let asker: ConnectionID?
    /// The holder that pays if the room is opened for it; `nil` if the server does.
    package let holder: Holder?
    /// Runs it. The state is here.
    let perform: (Room) -> Void
    /// Answers that it is not done. A task without this waits until it runs or its connection
    /// leaves.
    let refuse: ((RoomRefusal) -> Void)?
    /// Called if there is no such room: charges the asker for creating it, or returns why that may
    /// not be. A task without this does not create a room.
    let refusalToMake: (() -> RoomRefusal?)?
    /// Releases what its connection was charged for it. Called once, when it was run or dropped.
    let whenOver: () -> Void

    package init(
        _ kind: Kind, for asker: ConnectionID?, at holder: Holder? = nil,
        perform: @escaping (Room) -> Void, refuse: ((RoomRefusal) -> Void)? = nil,
        refusalToMake: (() -> RoomRefusal?)? = nil, whenOver: @escaping () -> Void = {}
    ) {
        self.kind = kind
        self.asker = asker
        self.holder = holder
        self.perform = perform
        self.refuse = refuse
        self.refusalToMake = refusalToMake
        self.whenOver = whenOver
    }

    /// Whether the asker gets an answer even if it is not done.
    package var getsAnswer: Bool { refuse != nil }

    /// Ends it with a refusal.
    package func end(_ refusal: RoomRefusal) {
        refuse?(refusal)
        whenOver()
    }
}
