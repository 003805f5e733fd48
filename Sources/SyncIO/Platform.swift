/// Makes loops and workers, each on a thread of its own. A simulated platform runs all on one
/// thread.
///
/// Two platforms implement it: `SyncLoop` over libuv, and the tests' simulated one. A client on
/// another system needs a third, of which it uses only ``startLoop(named:_:)``.
public protocol Platform: Sendable {
    /// Starts a loop on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: the thread's name, for debuggers.
    ///   - body: called on the loop before anything else.
    /// - Returns: the loop's thread, to wait for its end.
    /// - Throws: ``IOError/system(_:)`` if there can't be another thread or loop.
    @discardableResult
    func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable

    /// Starts a worker for calls that block, such as those to a disk.
    ///
    /// - Throws: ``IOError/system(_:)`` if there can't be another thread.
    func startWorker(named name: String) throws(IOError) -> any Worker

    /// Starts a worker for long work that is not urgent: with too few cores for all threads, loops
    /// go first.
    ///
    /// - Throws: ``IOError/system(_:)`` if there can't be another thread.
    func startBackgroundWorker(named name: String) throws(IOError) -> any Worker
}

extension Platform {
    /// Throws ``IOError/system(_:)``: a platform for clients needs no workers.
    public func startWorker(named name: String) throws(IOError) -> any Worker {
        throw .system("this platform has no workers")
    }

    /// Starts a worker as ``startWorker(named:)`` does.
    public func startBackgroundWorker(named name: String) throws(IOError) -> any Worker {
        try startWorker(named: name)
    }
}

/// A thread that can be waited for.
public protocol Joinable: Sendable {
    /// Blocks until the thread has ended. It must not be called on that thread itself.
    func join()
}

/// A thread that does one job after the other.
public protocol Worker: Sendable {
    /// Queues a job behind those before. It does not wait. After ``finish()`` the job is dropped.
    func submit(_ job: @escaping @Sendable () -> Void)

    /// Blocks until all jobs queued so far are done and the thread has ended.
    func finish()
}
