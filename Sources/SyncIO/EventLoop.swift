/// Everything that collsync needs from the outside world: time, timers, streams and random numbers.
///
/// Two loops implement it: `SyncLoop`'s over libuv, and the tests' simulated one, which runs a
/// server and its clients in one process without real time. Server and client know only this
/// protocol.
///
/// Invariants:
/// 1. A loop and all that is made on it belong to one thread; only its ``mailbox`` may be used from
///    others.
/// 2. Callbacks never run within the call that asked for them, always later from the loop.
/// 3. A turn handles the input and the posted work at hand, then the timers that are due, then the
///    ``atEndOfTurn(_:)`` actions. Only then may the loop sleep. An action that another action adds
///    runs in the next turn, before which the loop does not sleep.
/// 4. After ``stop()`` nothing new begins. The only calls that follow are one `streamDidClose` for
///    each open stream and a failure for each pending `connect`.
public protocol EventLoop: AnyObject {
    /// Milliseconds since some start, never going back; constant within a callback.
    var nowMilliseconds: UInt64 { get }

    /// Microseconds since some start, never going back. Each call reads the clock, to measure how
    /// long something takes.
    var clockMicroseconds: UInt64 { get }

    /// Milliseconds since 1970, for people and logs; it may jump.
    var wallClockMilliseconds: UInt64 { get }

    /// Posts work to this loop from other threads.
    var mailbox: any Mailbox { get }

    /// A random number of 64 bits. Simulations make it from a seed.
    func random() -> UInt64

    /// Calls `action` once, on the loop, after a delay in milliseconds, unless the timer is
    /// cancelled before. Timers fire in the order in which they are due, equal ones in the order
    /// they were made. A delay of 0 counts as 1. The loop keeps the timer until then.
    @discardableResult
    func schedule(afterMilliseconds delay: UInt64, _ action: @escaping () -> Void) -> any Timer

    /// Calls `action` once, at the end of this turn: when all input at hand has been handled and
    /// before the loop sleeps. This is where a tick's work is done.
    func atEndOfTurn(_ action: @escaping () -> Void)

    /// Opens a port on the first of the host's addresses that can be bound. Looking up a host name
    /// may block. `incoming` gets each connection, which this loop or another one takes.
    ///
    /// - Throws: ``IOError/addressInUse(_:)``, or ``IOError/system(_:)`` if the port can't be
    ///   opened for another reason.
    func openPort(
        _ address: SocketAddress, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener

    /// Connects to the first of the host's addresses that answers; each has ten seconds. Exactly
    /// one call of `completion` follows. A stream that it does not open is closed.
    ///
    /// The failure is ``IOError/unreachable(_:)``, or ``IOError/system(_:)`` if this side is to
    /// blame.
    func connect(
        to address: SocketAddress, completion: @escaping (Result<any ByteStream, IOError>) -> Void
    )

    /// Ends the loop after this turn; what is still open is closed.
    func stop()
}

extension EventLoop {
    /// Throws ``IOError/system(_:)``: a platform for clients opens no ports.
    public func openPort(
        _ address: SocketAddress, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener {
        throw .system("this platform opens no ports")
    }

    /// Opens a port whose connections this loop takes itself. A stream that `accept` does not open
    /// is closed.
    ///
    /// - Throws: as ``openPort(_:incoming:)``.
    public func listen(
        on address: SocketAddress, accept: @escaping (any ByteStream) -> Void
    ) throws(IOError) -> any Listener {
        try openPort(address) { [unowned self] incoming in incoming.take(on: self, accept) }
    }
}

/// A port that is open already and that no loop polls yet, because a service manager opened it
/// before it started the process.
///
/// Clients can connect to it while no process runs. The system queues their connections until a
/// loop accepts them.
package protocol OpenPort: Sendable {
    /// The address that it listens on.
    var address: SocketAddress { get }

    /// Accepts its connections on `loop`, as ``EventLoop/openPort(_:incoming:)`` does. Called once,
    /// on the loop's thread. The listener's `close()` leaves the port open for the service manager.
    ///
    /// - Throws: ``IOError/system(_:)`` if the loop can't poll it.
    func accept(
        on loop: any EventLoop, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener
}

/// An accepted connection that belongs to no loop yet. If no loop takes it, it is closed.
public protocol IncomingStream: Sendable {
    /// Makes it a stream of `loop` and calls `accept` with it, within this call. If the connection
    /// is broken already, `accept` is not called. A stream that `accept` does not open is closed.
    /// Called once, on the loop's thread.
    func take(on loop: any EventLoop, _ accept: (any ByteStream) -> Void)
}

/// The way into a loop for other threads: the only part of a loop that they may use.
public protocol Mailbox: Sendable {
    /// Queues `work` to run on the loop's thread, after what was posted before. It does not wait,
    /// and may be called from any thread. After the loop has stopped, the work is dropped.
    func post(_ work: @escaping @Sendable () -> Void)
}

/// An action that a loop runs later.
public protocol Timer: AnyObject {
    /// Cancels the action. After the action has run, this does nothing.
    func cancel()
}

/// An open port.
public protocol Listener: AnyObject {
    /// The address that it listens on, with the port that the system chose if 0 was asked for.
    var address: SocketAddress { get }

    /// Stops accepting connections. Those that were accepted stay open. Closing again does nothing.
    func close()
}
