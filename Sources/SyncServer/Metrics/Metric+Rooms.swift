import SyncCounts
import SyncModel
import SyncRoom
import SyncWire

// The table: connections and rooms.
extension Metric {
    static let connectionMetrics = [
        Metric(
            "collsync_connections", .gauge, by: kinds, "Open connections."
        ) { $0.sums { $0.connections.values } },
        Metric(
            "collsync_connections_limit", .gauge, "How many connections may be open."
        ) { .number($0.context.connections.limit) },
        Metric(
            "collsync_connections_accepted_total", .counter, by: kinds,
            "Connections that were accepted. A WebSocket counts as http, too, since it begins as that."
        ) { $0.sums { $0.connectionsInAll.values } },
        Metric(
            "collsync_errors_total", .counter,
            by: Label(name: "code", values: ErrorCode.allCases.map(\.rawValue)),
            "Errors that clients were sent about a connection, a request or a room, by code."
        ) {
            let errors = $0.rows { $0.rooms.errors.values }
            return .row(
                ErrorCode.allCases.map {
                    let number = Int($0.number)
                    return number < errors.count ? errors[number] : 0
                })
        },
        Metric(
            "collsync_http_requests_total", .counter,
            by: Label(name: "route", values: RequestCounts.routes),
            and: Label(name: "status", values: RequestCounts.statusClasses),
            "Requests over HTTP that were answered, by what they asked for and the answer's status."
        ) { $0.sums { $0.requests.answers.values } },
        Metric(
            "collsync_http_request_seconds", .histogram,
            "From the head of a request to its whole answer, except for events and WebSockets."
        ) { $0.times { $0.requests.times.reading } },
    ]

    static let roomMetrics = [
        Metric(
            "collsync_rooms_open", .gauge,
            "Rooms that are open, whether somebody is in them or not."
        ) { .number($0.context.pots.rooms.used) },
        Metric(
            "collsync_rooms_limit", .gauge, "How many rooms may be open."
        ) { .number($0.context.pots.rooms.limit) },
        Metric(
            "collsync_members", .gauge,
            "Members of all rooms; a connection counts in each of its rooms."
        ) { $0.sum { $0.rooms.members.value } },
        Metric(
            "collsync_room_refusals_total", .counter,
            by: Label(name: "limit", values: RoomLimit.allCases.map { "\($0)" }),
            "What rooms refused since it exceeds a limit of them, by limit. The limits of"
                + " connections, addresses and users are codes of errors."
        ) { $0.sums { $0.rooms.refusals.values } },
        Metric(
            "collsync_views", .gauge, "Open views of all members."
        ) { $0.sum { $0.rooms.views.value } },
        Metric(
            "collsync_transactions_total", .counter,
            by: Label(
                name: "result", values: ["committed"] + Rejection.Code.allCases.map(\.name)),
            "Transactions that became durable (committed), and answers that refused one, by code."
        ) { reading in
            let rejected = reading.rows { $0.rooms.rejected.values }
            return .row([reading.loops.reduce(0) { $0 + $1.committed.value }] + rejected)
        },
        Metric(
            "collsync_operations_superseded_total", .counter,
            by: Label(name: "reason", values: Superseded.Reason.allCases.map(\.name)),
            "Operations that lost against others when they were applied, by reason."
        ) { $0.sums { $0.rooms.superseded.values } },
        Metric(
            "collsync_transactions_queued", .gauge, "Transactions that wait in rooms to be applied."
        ) { $0.sum { $0.rooms.queuedTransactions.value } },
        Metric(
            "collsync_durable_lag_seconds", .histogram,
            "From when the first transaction of a record was applied until the record was durable."
        ) { $0.times { $0.durableLags.reading } },
    ]

    static let catchUpMetrics = [
        Metric(
            "collsync_catch_ups_total", .counter, by: catchUps,
            "Times that a member began to be sent what it lacked, by what it was sent."
        ) { $0.sums { $0.rooms.catchUps.values } },
        Metric(
            "collsync_reads_total", .counter,
            by: Label(name: "of", values: ReadKind.allCases.map { "\($0)" }),
            "Requests for content or changes of a room that were accepted, by what they get."
        ) { $0.sums { $0.reads.values } },
        Metric(
            "collsync_horizon_misses_total", .counter,
            by: Label(name: "at", values: HorizonMiss.allCases.map { "\($0)" }),
            "Times that a client needed a snapshot, since the room no longer remembered its revision."
        ) { $0.sums { $0.rooms.horizonMisses.values } },
        Metric(
            "collsync_batch_bytes", .histogram,
            "Bytes of each batch that was composed in a turn, before compression."
        ) { $0.sizes { $0.rooms.batchBytes.reading } },
        Metric(
            "collsync_fan_out_bytes_total", .counter,
            "Bytes of batches, snapshots, views and presence, for each member that they were sent to."
        ) { $0.sum { $0.fanOutBytes.value } },
        Metric(
            "collsync_fan_out_seconds", .histogram,
            "How long a room took in a turn to compose what members lacked, and to give it to their"
                + " connections."
        ) { $0.times { $0.composeTimes.reading } },
        Metric(
            "collsync_layout_seconds", .histogram,
            "The part of these times in which the room laid out for views."
        ) { $0.times { $0.layoutTimes.reading } },
        Metric(
            "collsync_layout_steps_total", .counter,
            "Steps of laying out for views, in turns."
        ) { $0.sum { $0.rooms.layoutSteps.value } },
        Metric(
            "collsync_view_updates_total", .counter, "Updates of views that were sent."
        ) { $0.sum { $0.rooms.viewUpdates.value } },
        Metric(
            "collsync_write_seconds", .histogram,
            "How long a turn took to write to all connections."
        ) { $0.times { $0.writeTimes.reading } },
    ]

    private static let kinds = Label(
        name: "kind", values: ConnectionKind.allCases.map { "\($0)" })

    private static let catchUps = Label(name: "with", values: CatchUp.allCases.map { "\($0)" })
}
