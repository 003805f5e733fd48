import SyncHTTPCodec
import SyncServer

/// What metrics and the log need to know of the current request.
struct RequestRecord {
    /// What it asks for; `nil` if that is not known, or nothing that there is.
    var route: Route?
    /// When its head was read (`GatewayConnection.workedMicroseconds`).
    let began: UInt64
    /// The trace that it belongs to, if any.
    let trace: TraceParent?
    private let takesGzip: Bool

    /// - Parameter head: `nil` if it can't be read.
    init(of head: RequestHead?, began: UInt64) {
        self.began = began
        takesGzip = head?.fields.acceptsGzip ?? false
        trace = head?.fields.value(of: "traceparent").flatMap { TraceParent($0) }
    }

    /// Whether the body of its answer may be compressed. Metrics are not, since they must not wait
    /// for workers: that these are busy may be what is wrong.
    var acceptsGzip: Bool { takesGzip && mayBeCompressed }
    /// Whether the body of its answer is compressed for those who take that.
    var mayBeCompressed: Bool { route != .metrics }

    /// Whether its time counts. A stream of events ends when the client wishes.
    var isTimed: Bool { route != .events }
}
