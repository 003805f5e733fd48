import Glibc

/// Measures time on the monotonic clock.
struct Stopwatch {
    private let start: UInt64

    init() {
        start = Stopwatch.now()
    }

    /// Seconds since the start.
    var seconds: Double {
        Double(Stopwatch.now() - start) / 1e9
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The resident memory of this process, in bytes.
func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 128)
    guard fgets(&buffer, 128, file) != nil else { return 0 }
    let fields = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        .split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
    return pages * Int(getpagesize())
}
