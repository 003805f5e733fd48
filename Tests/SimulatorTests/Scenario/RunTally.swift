/// Adds up the results of runs.
struct RunTally {
    private(set) var runs = 0
    private(set) var failures = 0
    private(set) var transactions = 0
    private(set) var batches = 0
    private(set) var updates = 0
    private(set) var firstScreens = 0
    private(set) var interruptions: [String: Int] = [:]
    private(set) var drags: [Evidence.DragEvent: Int] = [:]
    private(set) var mishaps: [Mishap: Int] = [:]
    private(set) var acts: [AccessAct: Int] = [:]
    private(set) var evictions = 0
    private(set) var forgotten = 0
    private(set) var changedGuards = (losses: 0, conflicts: 0)
    private(set) var backlogBytes = 0

    mutating func add(_ verdict: SimulatedRun.Verdict) {
        runs += 1
        failures += verdict.violations.isEmpty ? 0 : 1
        transactions += verdict.transactions
        batches += verdict.batches
        updates += verdict.updates
        firstScreens += verdict.firstScreens
        interruptions.merge(verdict.interruptions, uniquingKeysWith: +)
        drags.merge(verdict.drags, uniquingKeysWith: +)
        mishaps.merge(verdict.mishaps, uniquingKeysWith: +)
        acts.merge(verdict.acts, uniquingKeysWith: +)
        evictions += verdict.evictions
        forgotten += verdict.forgotten
        changedGuards.losses += verdict.changedGuards.losses
        changedGuards.conflicts += verdict.changedGuards.conflicts
        backlogBytes = max(backlogBytes, verdict.backlogBytes)
    }

    mutating func add(_ other: RunTally) {
        runs += other.runs
        failures += other.failures
        transactions += other.transactions
        batches += other.batches
        updates += other.updates
        firstScreens += other.firstScreens
        interruptions.merge(other.interruptions, uniquingKeysWith: +)
        drags.merge(other.drags, uniquingKeysWith: +)
        mishaps.merge(other.mishaps, uniquingKeysWith: +)
        acts.merge(other.acts, uniquingKeysWith: +)
        evictions += other.evictions
        forgotten += other.forgotten
        changedGuards.losses += other.changedGuards.losses
        changedGuards.conflicts += other.changedGuards.conflicts
        backlogBytes = max(backlogBytes, other.backlogBytes)
    }

    /// The totals, for people.
    var report: String {
        var lines = [
            "\(runs) runs, \(failures) failed: \(transactions) transactions, \(batches) batches,"
                + " \(updates) updates of views, \(firstScreens) first screens,"
                + " at most \(backlogBytes) bytes waiting for a reader"
        ]
        lines.append(
            "  guards changed: \(changedGuards.losses) losses, \(changedGuards.conflicts) conflicts"
        )
        lines.append("  authors evicted: \(evictions), transactions forgotten: \(forgotten)")
        for mishap in Mishap.allCases {
            lines.append("  \(mishap.rawValue): \(mishaps[mishap, default: 0])")
        }
        for act in AccessAct.allCases {
            lines.append("  \(act.rawValue): \(acts[act, default: 0])")
        }
        for (event, count) in drags.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("  drags \(event.rawValue): \(count)")
        }
        for (code, count) in interruptions.sorted(by: { $0.key < $1.key }) {
            lines.append("  connections lost, \(code): \(count)")
        }
        return lines.joined(separator: "\n")
    }
}
