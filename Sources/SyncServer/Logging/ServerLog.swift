/// Where a server says what happens. Called on any thread.
package protocol ServerLog: Sendable {
    /// - Parameter details: names and values, for programs that read logs.
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>)

    /// How many lines were dropped so far, as nobody read them, or left out.
    var droppedLines: Int { get }
}

extension ServerLog {
    package var droppedLines: Int { 0 }
}

/// How much something matters.
package enum ServerLogLevel: Sendable {
    case debug, info, warning, error
}
