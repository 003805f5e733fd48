import SyncBytes

/// Lanes of tasks that take turns, see ``TaskLanes``. A lane waits in a queue if its next task may
/// run, and in a heap if that waits for transactions.
///
/// Invariants:
/// 1. Each added task is taken, replaced or removed once.
/// 2. A lane with tasks is either in the queue or in the heap.
///
/// Cost: O(log n) for each task, with n lanes.
struct LaneLine {
    /// A task, and the number of the room's transactions that are to be applied before it.
    private struct Waiting {
        let task: RoomTask
        let position: UInt64
    }

    enum Key: Hashable {
        case connection(ConnectionID)
        case reads(ConnectionID)
        case server

        init(of task: RoomTask) {
            switch (task.asker, task.kind) {
            case (nil, _): self = .server
            case (let asker?, .read): self = .reads(asker)
            case (let asker?, _): self = .connection(asker)
            }
        }
    }

    private final class Lane {
        let key: Key
        var inOrder = Fifo<Waiting>()
        var presence: Waiting?
        var dragUpdate: Waiting?

        init(_ key: Key) {
            self.key = key
        }

        var next: Waiting? { inOrder.first ?? presence ?? dragUpdate }

        func popFirst() -> Waiting? {
            inOrder.popFirst() ?? presence.take() ?? dragUpdate.take()
        }

        /// Adds a task.
        ///
        /// - Returns: the task that it replaces, if any.
        func add(_ waiting: Waiting) -> RoomTask? {
            switch waiting.task.kind {
            case .presence:
                defer { presence = waiting }
                return presence?.task
            case .dragUpdate:
                defer { dragUpdate = waiting }
                return dragUpdate?.task
            case .join, .view, .drag, .read:
                inOrder.append(waiting)
                return nil
            }
        }
    }

    private var lanes: [Key: Lane] = [:]
    /// Lanes whose next task may run, as far as is known.
    private var turns = Fifo<Lane>()
    /// Lanes whose next task waits for transactions: a heap with the least position first.
    private var blocked: [(position: UInt64, lane: Lane)] = []

    var isEmpty: Bool { lanes.isEmpty }

    /// Whether tasks wait in a lane.
    func has(_ key: Key) -> Bool { lanes[key] != nil }

    /// Adds a task that waits for so many of the room's transactions.
    ///
    /// - Returns: the task that it replaces, if any.
    mutating func add(_ task: RoomTask, behind position: UInt64) -> RoomTask? {
        let key = Key(of: task)
        let waiting = Waiting(task: task, position: position)
        if let lane = lanes[key] { return lane.add(waiting) }
        let lane = Lane(key)
        _ = lane.add(waiting)
        append(lane)
        return nil
    }

    /// Calls `body` with each ordered task of the lanes that are not known to wait for
    /// transactions.
    func forEachUnblocked(_ body: (RoomTask) -> Void) {
        turns.forEach { lane in lane.inOrder.forEach { body($0.task) } }
    }

    /// Removes and returns the next task that waits for no more than so many transactions.
    mutating func next(behind count: UInt64) -> RoomTask? {
        while let position = blocked.first?.position, position <= count {
            if let lane = popBlocked() { turns.append(lane) }
        }
        while let lane = turns.popFirst() {
            // A lane without a task was emptied when its connection left.
            guard let next = lane.next else { continue }
            guard next.position <= count else {
                block(lane, next.position)
                continue
            }
            _ = lane.popFirst()
            if lane.next == nil { lanes[lane.key] = nil } else { turns.append(lane) }
            return next.task
        }
        return nil
    }

    private mutating func append(_ lane: Lane) {
        lanes[lane.key] = lane
        turns.append(lane)
    }

    /// Removes and returns all tasks of a lane.
    mutating func empty(_ key: Key) -> [RoomTask] {
        guard let lane = lanes.removeValue(forKey: key) else { return [] }
        var tasks: [RoomTask] = []
        while let waiting = lane.popFirst() { tasks.append(waiting.task) }
        return tasks
    }

    // MARK: The heap

    private mutating func block(_ lane: Lane, _ position: UInt64) {
        blocked.append((position, lane))
        var index = blocked.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard blocked[index].position < blocked[parent].position else { return }
            blocked.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func popBlocked() -> Lane? {
        guard let last = blocked.popLast() else { return nil }
        guard let first = blocked.first else { return last.lane }
        blocked[0] = last
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < blocked.count else { break }
            let right = left + 1
            let isRightLess =
                right < blocked.count && blocked[right].position < blocked[left].position
            let child = isRightLess ? right : left
            guard blocked[child].position < blocked[index].position else { break }
            blocked.swapAt(index, child)
            index = child
        }
        return first.lane
    }
}
