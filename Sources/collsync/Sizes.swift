import ArgumentParser

/// A number of bytes on the command line: `500`, or in units of 1,024 bytes each `64K`, `16M`,
/// `2G`, `1T`.
struct SizeArgument: ExpressibleByArgument, Equatable {
    let bytes: Int

    private static let units: [(name: Character, bytes: Int)] = [
        ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    init(bytes: Int) {
        self.bytes = bytes
    }

    init?(argument: String) {
        guard let size = SizeArgument(text: argument) else {
            ValueHint.note(
                argument,
                "a size is a number of bytes, or one with K, M, G or T, which are 1024, 1024 K, …")
            return nil
        }
        self = size
    }

    private init?(text argument: String) {
        let unit = SizeArgument.units.first { argument.last == $0.name }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits) else {
            return nil
        }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        guard !overflows else { return nil }
        self.init(bytes: bytes)
    }

    var defaultValueDescription: String {
        for unit in SizeArgument.units where bytes > 0 && bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.name)"
        }
        return "\(bytes)"
    }
}
