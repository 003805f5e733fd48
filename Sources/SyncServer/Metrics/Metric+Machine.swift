import SyncCounts
import SyncIO
import SyncRoom
import SyncStore

// The table: turns, the store, memory and the process.
extension Metric {
    static let turnMetrics = [
        Metric(
            "collsync_turn_seconds", .histogram, "How long a turn held its loop."
        ) { $0.times { $0.turns.times.reading } },
        Metric(
            "collsync_turn_steps_total", .counter,
            by: Label(name: "phase", values: TurnPhase.allCases.map { "\($0)" }),
            "Steps of work that turns took, by phase."
        ) { $0.sums { $0.turns.steps.values } },
        Metric(
            "collsync_turns_full_total", .counter,
            "Turns that left work for the next one, as their budget of steps was spent."
        ) { $0.sum { $0.turns.full.value } },
        Metric(
            "collsync_loop_holds_total", .counter,
            "Turns that held their loop for as long as --slow or longer."
        ) { $0.sum { $0.turns.holds.value } },
        Metric(
            "collsync_loop_hold_longest_seconds", .gauge,
            "How long the longest turn since the start held its loop."
        ) { .microseconds($0.loops.reduce(0) { max($0, $1.turns.longest.value) }) },
        Metric(
            "collsync_loans_total", .counter,
            by: Label(name: "kind", values: Loan.Kind.allCases.map { "\($0)" }),
            "Times that a room's state was lent to a worker, for work that is too long for a turn."
        ) { $0.sums { $0.loans.values } },
        Metric(
            "collsync_loan_seconds", .histogram, "How long a room's state was away for that."
        ) { $0.times { $0.loanTimes.reading } },
        Metric(
            "collsync_jobs_waiting", .gauge,
            by: Label(name: "kind", values: JobKind.allCases.map { "\($0)" }),
            "Jobs that wait for a worker: openings of rooms and checks of tokens, or other work."
        ) { .row($0.waitingJobs) },
        Metric(
            "collsync_log_lines_dropped_total", .counter,
            "Lines of the log that were lost: dropped because nobody read them, or left out."
        ) { .number($0.context.log.droppedLines) },
    ]

    static let storeMetrics = [
        Metric(
            "collsync_commit_seconds", .histogram,
            "How long the store took to make a group of records durable."
        ) { $0.store.commits.map { .times($0) } },
        Metric(
            "collsync_commits_failed_total", .counter,
            "Groups of records that the store could not make durable."
        ) { .number($0.store.failedCommits) },
        Metric(
            "collsync_records_committed_total", .counter, "Records that became durable."
        ) { .number($0.store.records) },
        Metric(
            "collsync_store_queue_records", .gauge, "Records that wait for the store."
        ) { .number($0.store.waitingRecords) },
        Metric(
            "collsync_store_queue_bytes", .gauge, "Bytes of these records."
        ) { .number($0.store.waitingBytes) },
        Metric(
            "collsync_store_queue_calls", .gauge,
            "Other calls that wait for the store, such as images to be saved."
        ) { .number($0.store.waitingCalls) },
        Metric(
            "collsync_store_bytes", .gauge, "About how many bytes the store uses."
        ) { .number(Int(clamping: $0.context.store.usedBytes)) },
        Metric(
            "collsync_store_limit_bytes", .gauge, "How many bytes the store may use."
        ) {
            let limit = $0.context.configuration.storage.maximumDiskBytes
            return .number(limit.map { Int(clamping: $0) } ?? .max)
        },
    ]

    static let memoryMetrics = [
        Metric(
            "collsync_memory_bytes", .gauge,
            by: Label(name: "kind", values: MemoryKind.allCases.map { "\($0)" }),
            "Memory of connections and rooms, as the server counts it, by what it is used for."
        ) { reading in .row(MemoryKind.allCases.map { max(0, reading.memory[$0]) }) },
        Metric(
            "collsync_memory_limit_bytes", .gauge,
            "How much memory connections and rooms may use together."
        ) { .number($0.context.pots.memory.limit) },
        Metric(
            "collsync_reads_waiting", .gauge, "Requests that wait to read the past of a room."
        ) { .number($0.context.pots.readPlaces.used) },
        Metric(
            "collsync_reads_waiting_limit", .gauge, "How many may wait."
        ) { .number($0.context.pots.readPlaces.limit) },
        Metric(
            "collsync_answer_bytes", .gauge,
            "Bytes of answers to requests that clients have not taken yet."
        ) { .number($0.context.pots.readBytes.used) },
        Metric(
            "collsync_answer_limit_bytes", .gauge, "How many such bytes there may be."
        ) { .number($0.context.pots.readBytes.limit) },
    ]

    static let processMetrics = [
        Metric(
            "process_cpu_seconds_total", .counter, "Time on processors, of users and the system."
        ) { reading in number(reading.process?.processorMicroseconds).map { .microseconds($0) } },
        Metric(
            "process_resident_memory_bytes", .gauge, "Resident memory."
        ) { reading in number(reading.process?.residentBytes).map { .number($0) } },
        Metric(
            "process_virtual_memory_bytes", .gauge, "Virtual memory."
        ) { reading in number(reading.process?.virtualBytes).map { .number($0) } },
        Metric(
            "process_open_fds", .gauge, "Open file descriptors."
        ) { reading in number(reading.process?.openFiles).map { .number($0) } },
        Metric(
            "process_max_fds", .gauge, "How many file descriptors may be open."
        ) { reading in number(reading.process?.maximumOpenFiles).map { .number($0) } },
        Metric(
            "process_start_time_seconds", .gauge, "When the process started, in seconds since 1970."
        ) { reading in
            number(reading.process?.startMilliseconds).map {
                .microseconds($0.multipliedReportingOverflow(by: 1000).partialValue)
            }
        },
    ]

    private static func number(_ figure: UInt64?) -> Int? { figure.map { Int(clamping: $0) } }
}
