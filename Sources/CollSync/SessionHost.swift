import SyncClient
import SyncIO
import SyncWire

/// A session on a loop with a thread of its own, and access to it from other threads.
///
/// Invariants:
/// 1. The session is used on its loop only: calls from other threads are posted there.
/// 2. Every posted call runs: nothing is posted after ``close()``, and earlier posts run before the
///    loop ends. So no caller waits for ever.
final class SessionHost: Sendable {
    private let mailbox: any Mailbox
    private let confined: LoopConfined<ClientSession>
    private let loop: LoopConfined<any EventLoop>
    private let thread: any Joinable
    private let isClosed = Monitor(false)
    let identity: ClientIdentity
    let welcome: Welcome
    let limits: ClientLimits

    /// What the loop's thread passes on when the session is connected.
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

    /// Calls `body` on the loop, later.
    ///
    /// - Returns: whether it will be called: not after ``close()``.
    @discardableResult
    func perform(_ body: @escaping @Sendable (ClientSession) -> Void) -> Bool {
        isClosed.withLock { isClosed in
            guard !isClosed else { return false }
            let confined = confined
            mailbox.post { body(confined.value) }
            return true
        }
    }

    /// Calls `body` on the loop and waits for its answer. `body` must call its second argument
    /// once, at any time.
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
    /// on that thread.
    func closeAndWait() {
        close()
        thread.join()
    }
}

/// A value that is used on one loop only, for passing it through other threads.
struct LoopConfined<Value>: @unchecked Sendable {
    // Sendable: the value is used only in closures that are posted to the loop.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
