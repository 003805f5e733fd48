package import SyncIO
package import SyncRoom
package import SyncStore
import SyncWire
import Synchronization

/// A server: rooms for clients to edit together.
///
/// It owns its loops (``ServerLoop``), each with connections (``Session``) and rooms
/// (``RoomHost``), and starts and ends them together.
///
/// Invariants:
/// 1. Only durable changes are sent to clients, so a crash undoes none of them (see `Room`).
/// 2. Invalid input from a connection closes that connection, or gets that request or transaction
///    refused, and does nothing else.
/// 3. After ``drain()`` the loops end. By then everything that was received is durable or refused.
///
/// Costs: see ``ServerLoop``.
///
/// It uses the outside world only by `SyncIO`, and the store only by its protocol. So the same code
/// runs for real and simulated.
package final class Server: Sendable {
    let context: ServerContext
    let loops = Monitor<[LoopHandle]>([])
    private let gatewayAddresses = Monitor<[SocketAddress?]>([])
    private let joinables = Monitor<[any Joinable]>([])
    private let isDraining = Atomic<Bool>(false)
    /// Whether a loop could not be started, so that the others have to end.
    private let isAbandoned = Atomic<Bool>(false)

    private init(_ context: ServerContext) {
        self.context = context
    }

    /// Starts a server. The server owns the store from then on, even if it can't be started.
    ///
    /// - Parameters:
    ///   - audit: notes joins, refusals and what admins do; `nil` if nothing is to be noted.
    ///   - port: an open port to listen on in place of the configuration's address.
    ///   - gateways: other protocols that are spoken, each on a port of its own.
    ///   - prepare: called on the first loop before anybody can connect.
    ///   - ready: called there with the address that clients can connect to, or with an error; then
    ///     the loops have ended or will soon.
    package static func start(
        on platform: any Platform, store: any Store, configuration: ServerConfiguration,
        log: any ServerLog, audit: (any AuditTrail)? = nil, port: (any OpenPort)? = nil,
        gateways: [any Gateway] = [],
        prepare: @escaping @Sendable (Server, any EventLoop) -> Void = { _, _ in },
        ready: @escaping @Sendable (Result<SocketAddress, IOError>) -> Void
    ) throws(IOError) -> Server {
        let jobs: Jobs
        do throws(IOError) {
            jobs = try Jobs(on: platform)
        } catch {
            store.finish()
            throw error
        }
        let context = ServerContext(
            configuration: configuration, store: store, log: log, audit: audit, port: port,
            gateways: gateways, jobs: jobs)
        let server = Server(context)
        do throws(IOError) {
            for number in 0..<configuration.threads {
                let joinable = try platform.startLoop(named: "loop \(number)") { loop in
                    server.add(loop, prepare, ready)
                }
                server.joinables.withLock { $0.append(joinable) }
            }
        } catch {
            server.abandon()
            throw error
        }
        return server
    }

    /// Ends the loops that were started, and waits for them.
    private func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        stop(loops.withLock { $0 })
        join()
    }

    /// Adds a loop that has started. The last one to start begins them all.
    private func add(
        _ loop: any EventLoop, _ prepare: @escaping @Sendable (Server, any EventLoop) -> Void,
        _ ready: @escaping @Sendable (Result<SocketAddress, IOError>) -> Void
    ) {
        let mailbox = loop.mailbox
        let started = loops.withLock { loops -> [LoopHandle]? in
            let member = ServerLoop(context: context, loop: loop, index: loops.count)
            loops.append(LoopHandle(member, index: loops.count, mailbox: mailbox))
            if isAbandoned.load(ordering: .relaxed) { loop.stop() }
            return loops.count == context.configuration.threads ? loops : nil
        }
        guard let started else { return }
        started[0].post { [self] first in
            let hash = SipHash(key: (first.loop.random(), first.loop.random()))
            let accounts = ClientAccounts(context.configuration, hash: hash, in: context.pots)
            for handle in started.dropFirst() {
                handle.post { $0.begin(with: started, hash, accounts) }
            }
            first.begin(with: started, hash, accounts)
            prepare(self, first.loop)
            first.beginUpkeep()
            ServerWatch(on: first).schedule()
            do throws(IOError) {
                let address = try first.listen()
                for gateway in context.gateways {
                    let other = try first.listen(for: gateway)
                    gatewayAddresses.withLock { $0.append(other) }
                }
                ready(.success(address))
            } catch {
                stop(started)
                ready(.failure(error))
            }
        }
    }

    /// Applies the limits of another configuration (those that
    /// ``ServerConfiguration/changed(toLimitsOf:)`` has) without a restart. Each loop does so in a
    /// turn of its own. May be called on any thread, once all loops have started, and repeatedly.
    ///
    /// What is used beyond a lowered limit stays, until it is given back.
    package func reconfigure(_ configuration: ServerConfiguration) {
        let changed = context.configuration.changed(toLimitsOf: configuration)
        for handle in loops.withLock({ $0 }) {
            handle.post { loop in
                if loop.index == 0 {
                    loop.context.change(to: changed)
                    loop.accounts?.change(to: changed)
                }
                loop.change(to: changed)
            }
        }
        context.log.log(.info, "the limits have changed", [:])
    }

    private func stop(_ loops: [LoopHandle]) {
        for handle in loops {
            handle.post { $0.loop.stop() }
        }
    }

    /// Figures of the turns of all loops.
    package var turns: TurnFigures { TurnFigures(of: loopCounts) }

    /// What each loop has counted.
    var loopCounts: [LoopCounts] { loops.withLock { $0.map(\.counts) } }

    /// The addresses of the gateways, in their order, once the server is ready; `nil` for one that
    /// the server has begun without.
    package var addressesOfGateways: [SocketAddress?] { gatewayAddresses.withLock { $0 } }

    /// How many connections each loop has.
    package var connectionCounts: [Int] {
        loops.withLock { $0.map { $0.connections.load(ordering: .relaxed) } }
    }

    /// The memory that connections and rooms use, as of their loops' last turns.
    package var memory: MemoryFigures { context.pots.memory.memory }

    /// How many bytes of answers to requests the server has made that clients have not taken yet.
    package var unreadAnswerBytes: Int { context.pots.readBytes.used }

    /// Waits until the loops have ended, finishes the store, and releases the loops. A server that
    /// is not joined stays in memory.
    package func join() {
        for joinable in joinables.withLock({ $0 }) { joinable.join() }
        context.jobs.finish()
        context.store.finish()
        context.audit?.finish()
        for handle in loops.withLock({ $0 }) { handle.release() }
    }

    /// How long that takes at most, before the loops end whatever is left to do.
    package var drainMilliseconds: UInt64 { context.configuration.drainMilliseconds }

    /// Shuts the server down in order: accepts no connections, finishes what was received, notifies
    /// clients, saves snapshots, and ends the loops. May be called on any thread, and repeatedly.
    package func drain() {
        let loops = loops.withLock { $0 }
        guard loops.count == context.configuration.threads,
            !isDraining.exchange(true, ordering: .relaxed)
        else { return }
        context.log.log(.info, "the server ends", [:])
        loops[0].post { [self] first in
            first.schedule(afterMilliseconds: context.configuration.drainMilliseconds) {
                [self] in
                context.log.log(.warning, "the server could not finish in time", [:])
                stop(loops)
            }
            let phases: [Phase] = [
                { loop, done in
                    loop.stopReceiving()
                    done()
                },
                { loop, done in loop.settle(then: done) },
                { loop, done in loop.disconnectClients(then: done) },
                { loop, done in loop.saveImages(then: done) },
            ]
            run(phases[...], on: loops)
        }
    }

    private typealias Phase =
        @Sendable (ServerLoop, _ done: @escaping @Sendable () -> Void) -> Void

    /// Runs each phase on all loops at once, one phase after the other; then the loops end. Called
    /// on the first loop.
    private func run(_ phases: ArraySlice<Phase>, on loops: [LoopHandle]) {
        guard let phase = phases.first else { return stop(loops) }
        let countdown = Countdown(loops.count) { [self] in
            loops[0].post { [self] _ in run(phases.dropFirst(), on: loops) }
        }
        for handle in loops {
            handle.post { loop in phase(loop) { countdown.count() } }
        }
    }
}

/// Calls `finish` at the last of so many calls of ``count()``.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let finish: @Sendable () -> Void

    init(_ count: Int, _ finish: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.finish = finish
    }

    func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { finish() }
    }
}
