import Glibc
package import SyncIO

extension LoopPlatform {
    /// Microseconds since some start, never going back. May be called on any thread.
    @Sendable package static func clock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_nsec)) / 1000
    }

    /// What this process uses of the machine. May be called on any thread. It makes some eight
    /// calls to the system, whatever the process does.
    package static var processFigures: ProcessFigures {
        var figures = ProcessFigures()
        var usage = rusage()
        if getrusage(RUSAGE_SELF.rawValue, &usage) == 0 {
            figures.processorMicroseconds =
                microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.maximumOpenFiles = UInt64(limit.rlim_cur)
        }
        // The folder's size is how many files are open, from Linux 6.2 on; before that it is 0.
        var folder = stat()
        if stat("/proc/self/fd", &folder) == 0, folder.st_size > 0 {
            figures.openFiles = UInt64(folder.st_size)
        }
        if let status = ProcessStatus(text(ofFile: "/proc/self/stat")) {
            figures.virtualBytes = status.virtualBytes
            figures.residentBytes =
                status.residentPages * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
            figures.startMilliseconds = startMilliseconds(ticksAfterBoot: status.startTicks)
        }
        return figures
    }

    private static func microseconds(_ time: timeval) -> UInt64 {
        UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_usec))
    }

    private static func startMilliseconds(ticksAfterBoot ticks: UInt64) -> UInt64? {
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        guard let up = milliseconds(CLOCK_BOOTTIME), let now = milliseconds(CLOCK_REALTIME) else {
            return nil
        }
        let started = ticks.multipliedReportingOverflow(by: 1000).partialValue / perSecond
        let age = up - min(up, started)
        return now - min(now, age)
    }

    private static func milliseconds(_ clock: Int32) -> UInt64? {
        var time = timespec()
        guard clock_gettime(clockid_t(clock), &time) == 0, time.tv_sec >= 0 else { return nil }
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The first 4 KB of a small file; empty if it can't be read.
    private static func text(ofFile path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// What `/proc/PID/stat` says, see proc_pid_stat(5).
struct ProcessStatus: Equatable {
    var startTicks: UInt64
    var virtualBytes: UInt64
    var residentPages: UInt64

    /// - Returns: `nil` if the text has another form.
    init?(_ text: String) {
        // The program's name is in brackets, and may contain anything, brackets, too.
        guard let end = text.lastIndex(of: ")") else { return nil }
        // The first of these is field 3, the state.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let start = UInt64(fields[19]), let bytes = UInt64(fields[20]),
            let pages = UInt64(fields[21])
        else { return nil }
        startTicks = start
        virtualBytes = bytes
        residentPages = pages
    }
}
