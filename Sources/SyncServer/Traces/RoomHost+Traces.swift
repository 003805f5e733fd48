import SyncModel
import SyncRoom
import SyncStore

extension RoomHost {
    /// Notes the trace of a transaction that is on its way to the room.
    func note(_ trace: TraceParent, of counter: UInt64, from connection: ConnectionID) {
        let traces = appends.traces ?? TracedTransactions()
        traces.add(trace, counter, of: connection)
        appends.traces = traces
    }

    /// Logs which transactions with traces were committed. There are hardly ever any.
    func logTraces() {
        guard let traces = appends.traces else { return }
        traces.log(of: name, to: loop.context.log)
        if traces.isEmpty { appends.traces = nil }
    }

    /// A connection leaves. Nothing says any more what has become of its transactions.
    func forgetTraces(of connection: ConnectionID) {
        guard let traces = appends.traces else { return }
        traces.forget(connection)
        if traces.isEmpty { appends.traces = nil }
    }

    func logRefusedRecord(_ error: StoreError) {
        let message = "the store has refused a record"
        if let traces = appends.traces {
            loop.context.log.log(
                .error, message,
                [
                    "room": name.text, "why": error.description, "traces": traces.waitingTraces,
                ])
        } else {
            loop.context.log.log(
                .error, message, ["room": name.text, "why": error.description])
        }
    }
}
