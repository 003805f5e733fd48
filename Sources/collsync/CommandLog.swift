import ArgumentParser
import Glibc
import Logging
import SyncIO
import SyncServer
import SyncTerminal

/// The least important messages that are logged.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case debug
    case info
    case warning
    case error

    fileprivate var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}

/// The format of the log.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
}

/// The server's log on standard error. Logging never waits; see ``LogWriter``.
struct CommandLog: ServerLog {
    private let logger: Logger
    private let format: LogFormat
    private let writer: LogWriter

    init(level: LogLevel, format: LogFormat, on platform: some Platform) throws(IOError) {
        let writer = try LogWriter(on: platform) { count in
            LineLogHandler.line(
                format, level: .warning, "lines of the log were lost, as nobody read them",
                [("count", "\(count)")])
        }
        var logger = Logger(label: "collsync") { _ in
            LineLogHandler(format: format, writer: writer)
        }
        logger.logLevel = level.level
        self.logger = logger
        self.format = format
        self.writer = writer
    }

    /// Logs how many lines were left out, and waits a moment until the last lines are written.
    func finish() {
        for (message, count) in writer.takeLeftOut() {
            writer.add(
                LineLogHandler.line(
                    format, level: .warning, message, [("leftOut", "\(count)")]))
        }
        writer.finish()
    }

    var droppedLines: Int { writer.droppedLines }

    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {
        let level: Logger.Level =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        logger.log(
            level: level, "\(message)",
            metadata: Logger.Metadata(uniqueKeysWithValues: details.map { ($0, "\($1)") }))
    }
}

/// Writes each event as a line: text for people, or a JSON object for programs.
struct LineLogHandler: LogHandler {
    let format: LogFormat
    let writer: LogWriter
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(format: LogFormat, writer: LogWriter) {
        self.format = format
        self.writer = writer
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let message = "\(event.message)"
        // Debug messages are not limited.
        guard let leftOut = event.level < .info ? 0 : writer.admit(message) else { return }
        let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        var texts = details.map { ($0.key, LogBacklog.bounded("\($0.value)")) }
        if leftOut > 0 { texts.append(("leftOut", "\(leftOut)")) }
        writer.add(LineLogHandler.line(format, level: event.level, message, texts))
    }

    static func line(
        _ format: LogFormat, level: Logger.Level, _ message: String, _ details: [(String, String)]
    ) -> String {
        let time = UTCTime.now()
        let message = LogBacklog.bounded(message)
        switch format {
        case .text:
            let rest = details.map { " \($0)=\(quoted($1))" }.joined()
            return "\(time) \(level.rawValue) \(DisplayText(whole: message).text)\(rest)"
        case .json:
            let all = [("time", time), ("level", level.rawValue), ("message", message)] + details
            let members = all.map { "\(quoted($0)):\(quoted($1))" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    /// A JSON string: in one line, whatever a client has put there.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where DisplayText.commandsTerminals(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
