import CUV
import Glibc
import SyncBytes
package import SyncIO

/// `SyncIO`'s event loop over libuv: one `uv_loop_t`, run by one thread.
///
/// It owns the libuv loop, the buffer that all its streams read into, its mailbox, and two lists of
/// calls for the end of the turn.
///
/// In libuv's terms, a turn has these steps. The poll delivers posted work and reports connections
/// that can be read or written. Then come the close callbacks, the timers that are due, and last
/// the *prepare* handle, which ends the turn. Right after that the loop polls again, and may sleep
/// there. If `endTurn` leaves work, it starts the *idle* handle, with which libuv polls without
/// sleeping.
///
/// One poll of libuv reports up to 48 times 1,024 events, so it may contain several turns. A turn
/// ends after some hundred events or some MiB. After `turnsPerPoll` turns the poll is full: it
/// reads and writes nothing more, so that timers are not late.
///
/// A poll may report the same connections again and again, in the same order. So it serves each
/// connection once. Connections that find the poll full are *passed over*: libuv does not poll them
/// until a later poll has room for them.
///
/// Invariants:
/// 1. A handle's memory belongs to its ``Handle`` object, which libuv retains until the handle is
///    closed; a loop that ends closes all handles and runs until the last is closed.
/// 2. No user code runs within a call the user makes: a write that is done at once, or a connect
///    that fails at once, goes to `deferred`.
/// 3. The loop does not sleep while `deferred`, `actions` or `ended` has entries.
/// 4. A loop that stops starts nothing new: no timer, no action, no listener, no connection.
///
/// Cost: a write that the system accepts at once is one system call, and no allocation beyond the
/// caller's. A read is one system call for up to 64 KiB. Posting to a mailbox that has letters
/// already is none.
package final class UVLoop: EventLoop {
    /// A call to the user that must wait until the call that caused it has returned.
    enum Deferred {
        case drained(UVStream)
        case failed(UVConnector)
    }

    static let readBufferBytes = 65_536
    /// How many ended connections a poll closes at most: each is much work for the system.
    private static let closesPerPoll = 128
    /// How many turns a poll has at most. It passes over the connections that are ready after
    /// those.
    private static let turnsPerPoll = 2

    let raw: UnsafeMutablePointer<uv_loop_t>
    /// All streams of the loop read into it, because a handler uses the bytes only in its callback.
    let readBuffer: UnsafeMutableRawBufferPointer
    /// What this turn may still read and write.
    @exclusivity(unchecked) var pollBudget = PollBudget()
    /// How many turns have ended within this poll.
    private var turnsOfPoll = 0
    private var passedOver = PassedOver<UVStream>()
    /// Connections to be closed.
    private var ended = Fifo<UVStream>()
    /// How many polls have ended.
    @exclusivity(unchecked) private(set) var pollCount: UInt64 = 0
    private let letters = UVMailbox()
    private let prepare = Handle(UV_PREPARE)
    private let idle = Handle(UV_IDLE)
    private var thread = pthread_self()
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each write.
    @exclusivity(unchecked) private var deferred: [Deferred] = []
    @exclusivity(unchecked) private var deferredNow: [Deferred] = []
    @exclusivity(unchecked) private var actions: [() -> Void] = []
    @exclusivity(unchecked) private var actionsNow: [() -> Void] = []
    /// Connectors whose lookup is in flight. Libuv's requests are no handles, so a stopping loop
    /// has to cancel them itself.
    private var lookups: [ObjectIdentifier: UVConnector] = [:]
    private(set) var isStopping = false
    private var hasEnded = false

    init() throws(IOError) {
        raw = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: UVLoop.readBufferBytes, alignment: 16)
        let status = uv_loop_init(raw)
        guard status >= 0 else {
            hasEnded = true
            throw .system("cannot make an event loop: \(describe(status))")
        }
        raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        do throws(IOError) {
            try letters.open(on: raw)
            try prepare.adopt(uv_prepare_init(raw, prepare.raw()))
            try idle.adopt(uv_idle_init(raw, idle.raw()))
        } catch {
            abandon()
            throw error
        }
    }

    deinit {
        precondition(hasEnded, "a loop must have ended before it goes")
        readBuffer.deallocate()
        raw.deallocate()
    }

    /// Runs the loop on this thread until it is stopped.
    func run(_ body: (any EventLoop) -> Void) {
        thread = pthread_self()
        uv_prepare_start(prepare.raw(), turnWillEnd)
        uv_update_time(raw)
        body(self)
        uv_run(raw, UV_RUN_DEFAULT)
        end()
    }

    /// Ends a loop that was never run.
    func abandon() {
        isStopping = true
        closeEverything()
        uv_run(raw, UV_RUN_DEFAULT)
        end()
    }

    private func end() {
        while !deferred.isEmpty { callDeferred() }
        actions = []
        let status = uv_loop_close(raw)
        precondition(status == 0, "a loop that ends has no handle left")
        hasEnded = true
    }

    private func closeEverything() {
        letters.close()
        actions = []
        passedOver = PassedOver()
        ended = Fifo()
        for connector in lookups.values { connector.cancelLookup() }
        uv_walk(raw, closeHandle, nil)
    }

    // MARK: The end of a turn

    /// Ends the turn if its budget is used up. Called last in a callback of libuv.
    func endTurnIfFull() {
        guard !(pollBudget.mayRead && pollBudget.mayWrite), !isStopping,
            turnsOfPoll + 1 < UVLoop.turnsPerPoll
        else { return }
        turnsOfPoll += 1
        endTurn()
    }

    fileprivate func endPoll() {
        turnsOfPoll = 0
        pollCount &+= 1
        closeEnded()
        endTurn()
        pollPassedOver()
    }

    /// Queues a connection to be closed, in this poll or in a later one. So if many end at once,
    /// the others don't wait for all of them.
    func closeLater(_ stream: UVStream) {
        ended.append(stream)
    }

    private func closeEnded() {
        for _ in 0..<UVLoop.closesPerPoll {
            guard let stream = ended.popFirst() else { return }
            stream.close()
        }
    }

    /// Leaves a connection that found the poll full to a later poll.
    ///
    /// - Parameter isDue: whether it was polled because it had waited longest.
    func passOver(_ stream: UVStream, isDue: Bool) {
        passedOver.add(stream, isDue: isDue)
    }

    /// Polls as many passed-over connections again as one poll serves.
    private func pollPassedOver() {
        // Each connection that is polled here is ready, so the loop does not sleep.
        passedOver.takeNext(half: PollBudget.readsPerTurn * UVLoop.turnsPerPoll / 2) {
            $0.endPassOver(isDue: $1)
        }
    }

    private func endTurn() {
        pollBudget = PollBudget()
        callDeferred()
        callActions()
        // Reports the writes of the actions now rather than after another poll.
        callDeferred()
        if isStopping {
            closeEverything()
        } else if deferred.isEmpty, actions.isEmpty, ended.isEmpty {
            uv_idle_stop(idle.raw())
        } else {
            uv_idle_start(idle.raw(), stayAwake)
        }
    }

    private func callActions() {
        swap(&actions, &actionsNow)
        for action in actionsNow { action() }
        actionsNow.removeAll(keepingCapacity: true)
    }

    private func callDeferred() {
        swap(&deferred, &deferredNow)
        for item in deferredNow {
            switch item {
            case .drained(let stream): stream.reportDrained()
            case .failed(let connector): connector.reportFailure()
            }
        }
        deferredNow.removeAll(keepingCapacity: true)
    }

    // MARK: For the loop's handles

    static func of(_ raw: UnsafeMutablePointer<uv_loop_t>?) -> UVLoop? {
        raw?.pointee.data.map { Unmanaged<UVLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    func deliverMail() {
        letters.deliver()
    }

    func callLater(_ item: Deferred) {
        deferred.append(item)
    }

    func lookupDidBegin(_ connector: UVConnector) {
        lookups[ObjectIdentifier(connector)] = connector
    }

    func lookupDidEnd(_ connector: UVConnector) {
        lookups[ObjectIdentifier(connector)] = nil
    }

    /// Checks, in debug builds, invariant 1 of ``EventLoop``.
    @inline(__always)
    func checkThread() {
        assert(pthread_equal(thread, pthread_self()) != 0, "a loop belongs to its thread")
    }

    // MARK: EventLoop

    package var nowMilliseconds: UInt64 { uv_now(raw) }

    package var clockMicroseconds: UInt64 { uv_hrtime() / 1000 }

    package var wallClockMilliseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    package var mailbox: any Mailbox { letters }

    package func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    @discardableResult
    package func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any Timer {
        checkThread()
        if isStopping { return UVTimer.never() }
        return UVTimer.start(afterMilliseconds: delay, on: self, action)
    }

    package func atEndOfTurn(_ action: @escaping () -> Void) {
        checkThread()
        actions.append(action)
    }

    package func openPort(
        _ address: SocketAddress, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener {
        checkThread()
        guard !isStopping else { throw .system("the loop has stopped") }
        return try UVListener.open(on: address, loop: self, incoming: incoming)
    }

    package func connect(
        to address: SocketAddress, completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        checkThread()
        UVConnector(to: address, on: self, completion: completion).start()
    }

    package func stop() {
        checkThread()
        isStopping = true
    }
}

private func turnWillEnd(_ raw: UnsafeMutablePointer<uv_prepare_t>?) {
    UVLoop.of(raw?.pointee.loop)?.endPoll()
}

/// An idle handle that is active keeps libuv from sleeping; there is nothing to do in it.
private func stayAwake(_ raw: UnsafeMutablePointer<uv_idle_t>?) {}
