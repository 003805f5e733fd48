/// Everything a part of collsync may ask of the world outside: the time, timers, streams, chance.
///
/// There are two: `SyncLoop` over libuv, and the tests' simulated one, which runs a server and its
/// clients in one process without real time. Server and client know only this protocol.
///
/// Invariants:
/// 1. A loop and all that is made on it belong to one thread; only its ``mailbox`` may be used from
///    others.
/// 2. Callbacks never run within the call that asked for them, always later from the loop.
/// 3. A turn is: timers that are due, input, mail, then the ``atEndOfTurn(_:)`` actions; only then
///    may the loop sleep.
package protocol EventLoop: AnyObject {
    /// Milliseconds since some start, never going back; constant within a turn.
    var nowMilliseconds: UInt64 { get }

    /// Milliseconds since 1970, for people and logs; it may jump.
    var wallClockMilliseconds: UInt64 { get }

    /// The way in for other threads.
    var mailbox: any Mailbox { get }

    /// A random number; seeded in simulations.
    func random() -> UInt64

    /// Calls `action` once, after the delay, unless the timer is cancelled before.
    @discardableResult
    func schedule(afterMilliseconds delay: UInt64, _ action: @escaping () -> Void) -> any Timer

    /// Calls `action` once, at the end of this turn: when all input at hand has been handled and
    /// before the loop sleeps. This is where a tick's work is done.
    func atEndOfTurn(_ action: @escaping () -> Void)

    /// Opens a port. `accept` gets each connection; a stream that is not opened there is closed.
    func listen(
        on address: SocketAddress, accept: @escaping (any ByteStream) -> Void
    ) throws(IOError) -> any Listener

    /// Connects. Exactly one call of `completion` follows.
    func connect(
        to address: SocketAddress, completion: @escaping (Result<any ByteStream, IOError>) -> Void
    )

    /// Ends the loop after this turn; what is still open is closed.
    func stop()
}

/// A loop's letter box: the only thing of a loop that other threads may hold.
package protocol Mailbox: Sendable {
    /// Has `work` called on the loop's thread, after what was posted before. After the loop has
    /// stopped it is dropped.
    func post(_ work: @escaping @Sendable () -> Void)
}

/// An action that is still to come.
package protocol Timer: AnyObject {
    /// Takes the action back; after it has run, this does nothing.
    func cancel()
}

/// An open port.
package protocol Listener: AnyObject {
    /// Where it listens; with the port the system chose, if 0 was asked for.
    var address: SocketAddress { get }

    /// Stops accepting.
    func close()
}
