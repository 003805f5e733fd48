import Glibc
package import SyncIO

/// Loops on libuv and workers, each on a thread of its own: what collsync runs on in earnest.
package struct LoopPlatform: Platform {
    package init() {}

    @discardableResult
    package func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        // A write to a connection the other side has closed must be an error, not the end of us.
        signal(SIGPIPE, SIG_IGN)
        let loop = try UVLoop()
        do {
            return try SystemThread(named: name) { loop.run(body) }
        } catch {
            loop.abandon()
            throw error
        }
    }

    package func startWorker(named name: String) throws(IOError) -> any Worker {
        try ThreadWorker(named: name)
    }

    /// Has `action` called on the loop, from its thread, each time the process gets the signal,
    /// which loses its usual effect as long as the loop runs.
    ///
    /// - Parameter loop: one that this platform made.
    package func onSignal(
        _ signal: ProcessSignal, on loop: any EventLoop, _ action: @escaping () -> Void
    ) throws(IOError) {
        guard let loop = loop as? UVLoop else {
            throw .system("signals come only to loops on libuv")
        }
        try UVSignal.open(signal, on: loop, action)
    }
}

/// The signals by which people, terminals and service managers speak to a process.
package enum ProcessSignal: Sendable {
    /// SIGTERM: a service manager asks for the end.
    case terminate
    /// SIGINT: control-C.
    case interrupt
    /// SIGWINCH: the terminal's window has another size.
    case windowResized

    var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .windowResized: SIGWINCH
        }
    }
}
