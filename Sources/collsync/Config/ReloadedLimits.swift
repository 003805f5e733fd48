import ArgumentParser
import SyncIO
import SyncServer

/// The limits of a config file, which are read again on each SIGHUP.
struct ReloadedLimits: Sendable {
    private let arguments: ServeArguments
    /// The options that need a restart, as the server runs with them.
    private let fixed: [FixedOption]
    private let server = Monitor<Server?>(nil)

    /// - Parameters:
    ///   - arguments: the arguments of the running server.
    ///   - command: what was parsed from them.
    init(_ arguments: ServeArguments, of command: ServeCommand) {
        self.arguments = arguments
        fixed = command.fixedOptions
    }

    /// Whether there is a config file.
    var areInFile: Bool { arguments.file != nil }

    /// Reads limits for this server from now on. Called when all of its loops have started.
    func attend(_ server: Server) {
        self.server.withLock { $0 = server }
    }

    /// Reads the file again, and changes the server's limits. If anything in it is wrong, nothing
    /// changes.
    func readAgain(_ files: ReloadedFiles, _ log: CommandLog) {
        guard let file = arguments.file else { return }
        guard let server = server.withLock({ $0 }) else {
            log.log(.warning, "the server does not run yet: its limits stay as they were", [:])
            return
        }
        do {
            let command = try arguments.parse()
            let changed = zip(fixed, command.fixedOptions).filter { $0 != $1 }.map(\.0.name)
            if !changed.isEmpty {
                log.log(
                    .warning, "some options of the config file need a restart",
                    ["options": changed.joined(separator: ", "), "file": file])
            }
            server.reconfigure(command.makeConfiguration(files, nil))
        } catch {
            let reason = (error as? ConfigError)?.description ?? Collsync.message(for: error)
            log.log(.error, "the limits stay as they were", ["why": reason])
        }
    }
}
