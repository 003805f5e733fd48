package import SyncModel

/// What a room is to do, in order.
///
/// Transactions have the room's order. A task waits for the state and for those transactions that
/// its own client sent before it; what a client asks for is done in its order, see ``TaskLanes``.
struct RoomQueue: ~Copyable {
    var transactions = TransactionRuns()
    var tasks = TaskLanes()
}

// What is asked of the room, but for transactions.
extension Room {
    /// Queues a task behind the transactions that its client has sent.
    ///
    /// - Parameter client: who asks, where it is not a member yet.
    package func add(_ task: RoomTask, of client: Identifier? = nil) {
        let client = client ?? task.asker.flatMap { members[$0]?.client }
        let position = task.kind == .read ? 0 : client.map(lastQueued) ?? 0
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
    package func dropTasks(of asker: ConnectionID) {
        for task in queue.tasks.removeAll(of: asker) { task.whenOver() }
    }

    /// Drops what a connection wants to read.
    package func dropReads(of asker: ConnectionID) {
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

/// What is asked of a room, but for transactions.
package struct RoomTask {
    package enum Kind: Sendable {
        case join
        case view
        case drag
        /// A dragged item is somewhere else.
        case dragUpdate
        case presence
        /// The room, its past or its figures are read.
        case read
    }

    package let kind: Kind
    /// The kind of message that asks for it, for who watches how long things take.
    package var message: StaticString?
    /// The connection that asks; `nil` if it is the server.
    package let asker: ConnectionID?
    /// At whose expense the room is opened for it; `nil` if it is the server's.
    package let holder: Holder?
    /// Does it. The state is here.
    let perform: (Room) -> Void
    /// Says why it is not done. What has none waits until it is done, or its connection leaves.
    let refuse: ((RoomRefusal) -> Void)?
    /// Has the room made, if there is none, at the expense of who asks; `false` if that is not to
    /// be. What has none finds no room.
    let makesRoom: (() -> Bool)?
    /// Gives back what its connection was charged for it: called once, when it is done or dropped.
    let whenOver: () -> Void

    package init(
        _ kind: Kind, for asker: ConnectionID?, at holder: Holder? = nil,
        perform: @escaping (Room) -> Void, refuse: ((RoomRefusal) -> Void)? = nil,
        makesRoom: (() -> Bool)? = nil, whenOver: @escaping () -> Void = {}
    ) {
        self.kind = kind
        self.asker = asker
        self.holder = holder
        self.perform = perform
        self.refuse = refuse
        self.makesRoom = makesRoom
        self.whenOver = whenOver
    }

    /// Whether who asks is told if it is not done.
    package var getsAnswer: Bool { refuse != nil }

    /// Says why it is not done, without having waited.
    package func end(_ refusal: RoomRefusal) {
        refuse?(refusal)
        whenOver()
    }
}
