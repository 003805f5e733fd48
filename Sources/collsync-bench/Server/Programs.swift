import Foundation

/// The programs to measure: the server, and this one, which is also the broadcaster.
struct Programs {
    let server: URL
    let benchmark: URL
    let cores: Cores

    /// - Parameter folder: the folder of the built programs.
    init(in folder: URL, cores: Cores) throws {
        server = folder.appending(path: "collsync")
        benchmark = folder.appending(path: "collsync-bench")
        self.cores = cores
        for program in [server, benchmark]
        where !FileManager.default.isExecutableFile(atPath: program.path) {
            throw BenchError("there is no \(program.path); build it first")
        }
    }

    /// The programs beside the one that is running.
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

    /// Runs another command of the server's program.
    ///
    /// - Returns: its output, without the end of the line.
    func outputOfServer(_ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = server
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("collsync \(arguments[0]) ends with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// - Parameter log: the file for what it broadcasts; `nil` for none.
    func startBroadcaster(log: String? = nil) throws -> MeasuredProcess {
        try MeasuredProcess(benchmark, ["broadcaster"] + (log.map { [$0] } ?? []), on: cores)
    }

    /// - Parameter log: the file for what it is sent.
    func startAnswerer(log: String) throws -> MeasuredProcess {
        try MeasuredProcess(benchmark, ["answerer", log], on: cores)
    }
}

/// A folder for the servers' files. It is deleted with this object.
final class ScratchFolder {
    let path: String

    /// - Parameter parent: `nil` for the system's folder for temporary files.
    init(in parent: String?) throws {
        let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let url = parent.appending(path: "collsync-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The median time of appending a few bytes and syncing them here.
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
