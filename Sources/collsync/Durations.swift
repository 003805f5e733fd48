import ArgumentParser

/// A time on the command line: `500ms`, `30s`, `10m`, `12h`, `7d`. The unit is required, so that
/// nobody confuses seconds and days.
struct DurationArgument: ExpressibleByArgument, Equatable {
    let milliseconds: UInt64

    init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    init?(argument: String) {
        guard let duration = DurationArgument(text: argument) else {
            ValueHint.note(argument, "a time is a number with ms, s, m, h or d")
            return nil
        }
        self = duration
    }

    private init?(text argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = UInt64(digits) else { return nil }
        let factor: UInt64
        switch argument.dropFirst(digits.count) {
        case "ms": factor = 1
        case "s": factor = 1000
        case "m": factor = 60_000
        case "h": factor = 3_600_000
        case "d": factor = 86_400_000
        default: return nil
        }
        let (milliseconds, overflows) = number.multipliedReportingOverflow(by: factor)
        // At most a hundred years, which can be added to any time without overflow.
        guard !overflows, milliseconds <= 3_155_760_000_000 else { return nil }
        self.init(milliseconds: milliseconds)
    }

    var defaultValueDescription: String {
        for (factor, unit) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        where milliseconds > 0 && milliseconds % UInt64(factor) == 0 {
            return "\(milliseconds / UInt64(factor))\(unit)"
        }
        return "\(milliseconds)ms"
    }
}

/// How long old log is kept: a time, or `all`.
enum HistoryArgument: ExpressibleByArgument, Equatable {
    case all
    case duration(DurationArgument)

    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let duration = DurationArgument(argument: argument) {
            self = .duration(duration)
        } else {
            return nil
        }
    }

    var milliseconds: UInt64? {
        switch self {
        case .all: nil
        case .duration(let duration): duration.milliseconds
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .all: "all"
        case .duration(let duration): duration.defaultValueDescription
        }
    }
}

/// `on` or `off`.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}
