import ArgumentParser

/// A time on the command line as RFC 3339 has it: `2026-11-26T12:00:00Z`, or with an offset as in
/// `2026-11-26T13:00:00.5+01:00`.
struct TimeArgument: ExpressibleByArgument, Equatable {
    /// In milliseconds since 1970. What is smaller than a millisecond is cut off.
    let milliseconds: UInt64

    init?(argument: String) {
        var rest = Substring(argument)
        guard let year = TimeArgument.number(4, of: &rest), rest.take("-"),
            let month = TimeArgument.number(2, of: &rest), (1...12).contains(month),
            rest.take("-"), let day = TimeArgument.number(2, of: &rest),
            (1...TimeArgument.days(in: month, of: year)).contains(day),
            rest.take("T") || rest.take("t") || rest.take(" "),
            let hour = TimeArgument.number(2, of: &rest), hour < 24, rest.take(":"),
            let minute = TimeArgument.number(2, of: &rest), minute < 60, rest.take(":"),
            let second = TimeArgument.number(2, of: &rest), second <= 60,
            let fraction = TimeArgument.fraction(of: &rest),
            let offset = TimeArgument.offset(of: &rest), rest.isEmpty
        else { return nil }
        let days = TimeArgument.days(before: year, month) + day - 1
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        guard seconds >= 0 else { return nil }
        milliseconds = UInt64(seconds * 1000 + fraction)
    }

    private static func number(_ digits: Int, of text: inout Substring) -> Int? {
        let found = text.prefix(digits)
        guard found.utf8.count == digits, found.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        text = text.dropFirst(digits)
        return Int(found)
    }

    /// The milliseconds of a fraction of a second; 0 if there is none.
    private static func fraction(of text: inout Substring) -> Int? {
        guard text.take(".") else { return 0 }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        text = text.dropFirst(digits.count)
        return digits.isEmpty ? nil : Int((digits + "00").prefix(3))
    }

    /// How many minutes the time is ahead of UTC.
    private static func offset(of text: inout Substring) -> Int? {
        if text.take("Z") || text.take("z") { return 0 }
        let isBehind = text.take("-")
        guard isBehind || text.take("+"), let hours = number(2, of: &text), hours < 24,
            text.take(":"), let minutes = number(2, of: &text), minutes < 60
        else { return nil }
        return (isBehind ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 { return isLeap(year) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// How many days there are from 1970 to the month.
    private static func days(before year: Int, _ month: Int) -> Int {
        let past = year - 1
        let leaps = past / 4 - past / 100 + past / 400 - 477
        let months = (1..<month).reduce(0) { $0 + days(in: $1, of: year) }
        return (year - 1970) * 365 + leaps + months
    }
}

extension Substring {
    /// Drops a character if it is the first one, and returns whether it was.
    fileprivate mutating func take(_ character: Character) -> Bool {
        guard first == character else { return false }
        removeFirst()
        return true
    }
}
