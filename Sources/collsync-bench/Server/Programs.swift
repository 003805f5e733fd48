import Foundation

/// The programs that are measured: the server, and this one, which is the broadcaster too.
struct Programs {
    let server: URL
    let benchmark: URL
    let cores: Cores

    /// - Parameter folder: where they were built.
    init(in folder: URL, cores: Cores) throws {
        server = folder.appending(path: "collsync")
        benchmark = folder.appending(path: "collsync-bench")
        self.cores = cores
        for program in [server, benchmark]
        where !FileManager.default.isExecutableFile(atPath: program.path) {
            throw BenchError("there is no \(program.path); build it first")
        }
    }

    /// Beside the program that is running.
    static func besideThis(cores: Cores) throws -> Programs {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return try Programs(in: own.deletingLastPathComponent(), cores: cores)
    }

    func startServer(data: String, _ options: [String] = []) throws -> MeasuredProcess {
        try MeasuredProcess(
            server,
            ["serve", "--listen", "127.0.0.1:0", "--data", data, "--log-level", "warning"]
                + options,
            on: cores)
    }

    /// - Parameter log: where it keeps what it spreads; `nil` for nowhere.
    func startBroadcaster(log: String? = nil) throws -> MeasuredProcess {
        try MeasuredProcess(benchmark, ["broadcaster"] + (log.map { [$0] } ?? []), on: cores)
    }
}

/// A folder for what the servers write, which goes with this object.
final class ScratchFolder {
    let path: String

    /// - Parameter parent: `nil` for the system's folder for such things.
    init(in parent: String?) throws {
        let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let url = parent.appending(path: "collsync-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// How long an append of a few bytes and its sync take here, at the median.
    func syncSeconds() throws -> Double {
        let descriptor = open("\(path)/sync", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw BenchError("cannot write into \(path)") }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 0, count: 60)
        let times = (0..<51).map { _ in
            let watch = Stopwatch()
            write(descriptor, bytes, bytes.count)
            fdatasync(descriptor)
            return watch.seconds
        }
        return times.sorted()[times.count / 2]
    }
}
