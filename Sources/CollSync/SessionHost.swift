import SyncClient
import SyncIO
import SyncWire

/// A session on a loop of its own thread, and the way to it from other threads.
///
/// Invariants:
/// 1. The session is used on its loop only: what is asked of it from elsewhere is posted there.
/// 2. What is posted is always done: after ``close()`` nothing is posted any more, and what was
///    posted before comes before the loop's end. So no one waits for ever.
final class SessionHost: Sendable {
    private let mailbox: any Mailbox
    private let confined: LoopConfined<ClientSession>
    private let loop: LoopConfined<any EventLoop>
    private let thread: any Joinable
    private let isClosed = Monitor(false)
    let identity: ClientIdentity
    let welcome: Welcome
    let limits: ClientLimits

    /// What a loop hands over when its session is connected.
    private struct Connected: Sendable {
        let session: LoopConfined<ClientSession>
        let loop: LoopConfined<any EventLoop>
        let mailbox: any Mailbox
        let identity: ClientIdentity
        let welcome: Welcome
    }

    private init(_ connected: Connected, on thread: any Joinable, _ limits: ClientLimits) {
        self.limits = limits
        mailbox = connected.mailbox
        confined = connected.session
        loop = connected.loop
        self.thread = thread
        identity = connected.identity
        welcome = connected.welcome
    }

    deinit {
        close()
    }

    /// Starts a loop and connects.
    static func connect(
        _ options: SessionOptions, identity: ClientIdentity?, platform: any Platform
    ) async throws(CollectionError) -> SessionHost {
        let connected = Promise<Result<Connected, ClientError>>()
        let thread: any Joinable
        do throws(IOError) {
            thread = try platform.startLoop(named: "collsync-client") { loop in
                let session = ClientSession(options: options, identity: identity, loop: loop)
                session.start { result in
                    if case .failure = result { loop.stop() }
                    connected.fulfil(
                        result.map { welcome in
                            Connected(
                                session: LoopConfined(session), loop: LoopConfined(loop),
                                mailbox: loop.mailbox, identity: session.identity, welcome: welcome)
                        })
                }
            }
        } catch {
            throw CollectionError(error)
        }
        switch await connected.value {
        case .success(let connected): return SessionHost(connected, on: thread, options.limits)
        case .failure(let error):
            thread.join()
            throw CollectionError(error)
        }
    }

    /// Has `body` called on the loop.
    ///
    /// - Returns: whether it will be: not after ``close()``.
    @discardableResult
    func perform(_ body: @escaping @Sendable (ClientSession) -> Void) -> Bool {
        isClosed.withLock { isClosed in
            guard !isClosed else { return false }
            let confined = confined
            mailbox.post { body(confined.value) }
            return true
        }
    }

    /// Has `body` called on the loop and waits for what it hands to its second argument, which it
    /// must call once, at any time.
    func ask<Answer: Sendable>(
        _ body:
            @escaping @Sendable (
                ClientSession,
                _ answer: @escaping @Sendable (Result<Answer, CollectionError>) -> Void
            ) -> Void
    ) async throws(CollectionError) -> Answer {
        let result: Result<Answer, CollectionError> = await withCheckedContinuation { caller in
            let isAsked = perform { session in
                body(session) { caller.resume(returning: $0) }
            }
            if !isAsked { caller.resume(returning: .failure(CollectionError(.closed))) }
        }
        return try result.get()
    }

    /// Ends the session and its loop.
    func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            let (confined, loop) = (confined, loop)
            mailbox.post {
                confined.value.close()
                loop.value.stop()
            }
        }
    }

    /// Ends the session and its loop, and waits until their thread has ended. It must not be called
    /// there.
    func closeAndWait() {
        close()
        thread.join()
    }
}

/// Something that is used on one loop only, on its way through other threads.
struct LoopConfined<Value>: @unchecked Sendable {
    // Sendable: whoever holds it uses the value only in what is posted to the loop.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
