import Glibc
package import SyncIO

/// The real platform: loops on libuv and workers, each on a thread of its own.
package struct LoopPlatform: Platform {
    package init() {}

    @discardableResult
    package func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        try start(UVLoop(), named: name, body)
    }

    private func start(
        _ loop: UVLoop, named name: String,
        _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        do {
            return try SystemThread(named: name) {
                ThreadSignals.blockBrokenPipe()
                loop.run(body)
            }
        } catch {
            loop.abandon()
            throw error
        }
    }

    /// Calls `action`, on a separate thread, with each of the signals that the process gets, and
    /// with that thread's loop. The signals lose their usual effect until the watch is finished.
    ///
    /// - Returns: the watch, once it receives the signals.
    package func watch(
        _ signals: [ProcessSignal], named name: String,
        _ action: @escaping @Sendable (ProcessSignal, any EventLoop) -> Void
    ) throws(IOError) -> SignalWatch {
        let loop = try UVLoop()
        let mailbox = loop.mailbox
        let opened = Monitor(Result<Void, IOError>?.none)
        let handle = LoopReference(loop)
        let thread = try start(loop, named: name) { loop in
            var result = Result<Void, IOError>.success(())
            do throws(IOError) {
                for signal in signals {
                    try onSignal(signal, on: loop) { action(signal, loop) }
                }
            } catch {
                result = .failure(error)
            }
            opened.withLock { $0 = result }
            opened.notify()
        }
        let watch = SignalWatch(handle, mailbox: mailbox, thread: thread)
        if case .failure(let error) = opened.wait(until: { $0 }) {
            watch.finish()
            throw error
        }
        return watch
    }

    package func startWorker(named name: String) throws(IOError) -> any Worker {
        try ThreadWorker(named: name)
    }

    package func startBackgroundWorker(named name: String) throws(IOError) -> any Worker {
        try ThreadWorker(named: name, isInBackground: true)
    }

    /// Calls `action` on the loop's thread each time the process gets the signal. The signal loses
    /// its usual effect as long as the loop runs.
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

/// The signals that people, terminals and service managers send to a process.
package enum ProcessSignal: Sendable {
    /// SIGTERM: a service manager asks the process to end.
    case terminate
    /// SIGINT: control-C.
    case interrupt
    /// SIGHUP: a service manager asks the process to read its files again.
    case hangUp
    /// SIGWINCH: the terminal's window has another size.
    case windowResized

    var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        case .windowResized: SIGWINCH
        }
    }

    /// Ends the process by the signal, as if nobody watched for it.
    package func endProcess() -> Never {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        _exit(128 + number)
    }
}
