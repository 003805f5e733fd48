import SyncCounts

/// What a request to a gateway asks for. A label of metrics, so its values are few and fixed.
package enum RequestRoute: Int, CaseIterable, Sendable {
    case health
    case readiness
    case metrics
    case rooms
    case snapshot
    case creation
    case deletion
    case transactions
    case importing
    case table
    case stats
    case history
    case batch
    case items
    case item
    case search
    case view
    case drawing
    case image
    case events
    case cookie
    case cookieRemoval
    case sharing
    case layout
    case description
    case webSocket
}

/// How requests to gateways were answered.
struct RequestCounts: ~Copyable, Sendable {
    /// Answers, by route and then by class of status.
    let answers = CountRow((RequestRoute.allCases.count + 1) * statusClasses.count)
    /// From the head of a request to the end of its answer.
    let times = Histogram(HistogramBounds.times)

    /// The routes, and what is none of them.
    static let routes = RequestRoute.allCases.map { "\($0)" } + ["none"]
    static let statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

    func add(_ route: RequestRoute?, status: Int) {
        let row = route?.rawValue ?? RequestRoute.allCases.count
        let column = min(max(status / 100, 1), RequestCounts.statusClasses.count) - 1
        answers.add(at: row * RequestCounts.statusClasses.count + column)
    }
}
