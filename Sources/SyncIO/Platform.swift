/// What makes loops and workers, each on a thread of its own (or, simulated, all on one).
///
/// There are two here: `SyncLoop` over libuv, and the tests' simulated one. Who brings a client to another system
/// writes a third: ``startLoop(named:_:)`` is all that a client asks for.
public protocol Platform: Sendable {
    /// Starts a loop; `body` is called on it first.
    ///
    /// - Returns: a handle to wait for the loop's end with.
    @discardableResult
    func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable

    /// Starts a worker for calls that block, such as a disk's.
    func startWorker(named name: String) throws(IOError) -> any Worker

    /// Starts a worker for what takes long and has time: where there are not cores for all, loops go before it.
    func startBackgroundWorker(named name: String) throws(IOError) -> any Worker
}

extension Platform {
    /// No worker: only a server needs some.
    public func startWorker(named name: String) throws(IOError) -> any Worker {
        throw .system("this platform has no workers")
    }

    /// A worker like others.
    public func startBackgroundWorker(named name: String) throws(IOError) -> any Worker {
        try startWorker(named: name)
    }
}

/// A thread that can be waited for.
public protocol Joinable: Sendable {
    /// Returns when it has ended. Must not be called on that thread itself.
    func join()
}

/// A thread that does one job after the other.
public protocol Worker: Sendable {
    /// Has `job` done after those submitted before. After ``finish()`` it is dropped.
    func submit(_ job: @escaping @Sendable () -> Void)

    /// Ends the thread when all jobs submitted so far are done, and waits for that.
    func finish()
}
