/// Connections that found a poll full, and are not polled until a later one has room for them.
package struct PassedOver<Stream> {
    private var waiting: [Stream] = []
    /// Connections that were polled again as those that had waited longest, and found that poll
    /// full, too.
    private var overdue: [Stream] = []

    package init() {}

    /// - Parameter isDue: whether it was polled because it had waited longest.
    package mutating func add(_ stream: Stream, isDue: Bool) {
        if isDue { overdue.append(stream) } else { waiting.append(stream) }
    }

    /// Polls the next ones: first those that have waited longest, then the newest, `half` of each.
    /// So each is served some time, and a new one need not wait for a long queue.
    ///
    /// - Parameter poll: polls a connection again, unless that has nothing to wait for any more. It
    ///   returns whether it does. If it polls none, the next ones follow.
    package mutating func takeNext(half: Int, _ poll: (Stream, _ isDue: Bool) -> Bool) {
        var polled = 0
        while polled == 0, !(waiting.isEmpty && overdue.isEmpty) {
            let last = waiting.suffix(half)
            waiting.removeLast(last.count)
            let first = waiting.prefix(max(0, half - overdue.count))
            waiting.removeFirst(first.count)
            let due = overdue + first
            overdue = []
            for stream in due where poll(stream, true) { polled += 1 }
            for stream in last where poll(stream, false) { polled += 1 }
        }
    }
}
