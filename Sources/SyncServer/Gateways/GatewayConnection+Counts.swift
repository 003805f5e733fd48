import SyncCounts
package import SyncModel
import SyncRoom
package import SyncWire

// What a gateway counts for metrics.
extension GatewayConnection {
    /// The time in microseconds at the end of the loop's last piece of work. No clock is read for
    /// it.
    package var workedMicroseconds: UInt64 { loop.watchdog.last }

    /// Counts a request whose answer begins. If it belongs to a trace, it is logged, too.
    ///
    /// - Parameter route: what it asks for; `nil` if that is nothing that there is.
    package func countAnswer(to route: RequestRoute?, status: Int, of trace: TraceParent?) {
        loop.counts.requests.add(route, status: status)
        guard let trace else { return }
        loop.context.log.log(
            .debug, "a request is answered",
            [
                "peer": peer, "route": route.map { "\($0)" } ?? "none", "status": "\(status)",
                "trace": trace.traceID, "parent": trace.parentID,
            ])
    }

    /// Counts how long a request took that is answered now.
    ///
    /// - Parameter began: ``workedMicroseconds`` when its head was read.
    package func countTime(since began: UInt64) {
        let now = loop.watchdog.last
        loop.counts.requests.times.observe(Int(clamping: now - min(began, now)))
    }

    /// Counts an error that no session has sent.
    package func count(_ code: ErrorCode) {
        loop.counts.rooms.count(code)
    }

    /// Counts a rejection of a transaction that no session has sent.
    package func count(_ rejection: Rejection) {
        loop.counts.rooms.count(rejection)
    }
}
