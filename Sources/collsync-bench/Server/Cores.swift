import CBenchmark
import Glibc

/// The cores of the server and of the load generator.
struct Cores {
    private let server: Int32?
    private let generator: Int32?

    /// Every process runs where the system puts it.
    static let shared = Cores(server: nil, generator: nil)

    /// A core for each, if this program may run on at least two when it starts.
    static let apart: Cores = {
        let server = collsync_core_from(0)
        let generator = server < 0 ? -1 : collsync_core_from(server + 1)
        return generator < 0 ? shared : Cores(server: server, generator: generator)
    }()

    private init(server: Int32?, generator: Int32?) {
        self.server = server
        self.generator = generator
    }

    /// Starts a process on the server's core, and returns to the generator's.
    func forServer<Started>(_ start: () throws -> Started) throws -> Started {
        guard let server, let generator else { return try start() }
        try Cores.pin(to: server)
        let result = Result { try start() }
        try Cores.pin(to: generator)
        return try result.get()
    }

    private static func pin(to core: Int32) throws {
        guard collsync_pin_to_core(core) == 0 else {
            throw BenchError("nothing can be kept to core \(core)")
        }
    }

    var areApart: Bool { server != nil }
}

/// The processor time of this process, in seconds.
func ownProcessorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
