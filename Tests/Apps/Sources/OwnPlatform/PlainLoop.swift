import Foundation
import SyncIO

/// A loop over `poll`.
final class PlainLoop: EventLoop {
    private let letters: PlainMailbox
    private let start = DispatchTime.now().uptimeNanoseconds
    private var timers: [PlainTimer] = []
    private var actions: [() -> Void] = []
    private var streams: [PlainStream] = []
    private var connecting: [(descriptor: Int32, peer: String, completion: Completion)] = []
    private var isStopped = false

    typealias Completion = (Result<any ByteStream, IOError>) -> Void

    init(_ mailbox: PlainMailbox) {
        letters = mailbox
    }

    var mailbox: any Mailbox { letters }
    var clockMicroseconds: UInt64 { (DispatchTime.now().uptimeNanoseconds - start) / 1000 }
    var nowMilliseconds: UInt64 { clockMicroseconds / 1000 }
    var wallClockMilliseconds: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }
    func random() -> UInt64 { .random(in: .min ... .max) }
    func atEndOfTurn(_ action: @escaping () -> Void) { actions.append(action) }
    func stop() { isStopped = true }

    func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any SyncIO.Timer {
        let timer = PlainTimer(due: nowMilliseconds + max(delay, 1), action)
        timers.append(timer)
        return timer
    }

    func connect(to address: SocketAddress, completion: @escaping Completion) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        defer { freeaddrinfo(found) }
        guard getaddrinfo(address.host, "\(address.port)", &hints, &found) == 0, let found else {
            return atEndOfTurn { completion(.failure(.unreachable("\(address)"))) }
        }
        let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let status = Glibc.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen)
        guard status == 0 || errno == EINPROGRESS else {
            close(descriptor)
            return atEndOfTurn { completion(.failure(.unreachable("\(address)"))) }
        }
        connecting.append((descriptor, "\(address)", completion))
    }

    /// Turns, until it is stopped.
    func run() {
        while !isStopped { turn() }
        for stream in streams { stream.close() }
        for entry in connecting { entry.completion(.failure(.unreachable(entry.peer))) }
        finishTurn()
    }

    private func turn() {
        let (streams, connecting) = (streams, connecting)
        var polled = [pollfd(fd: letters.reading, events: Int16(POLLIN), revents: 0)]
        polled += streams.map { pollfd(fd: $0.descriptor, events: $0.awaited, revents: 0) }
        polled += connecting.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
        poll(&polled, nfds_t(polled.count), wait)
        if polled[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 256)
            _ = read(letters.reading, &bytes, bytes.count)
        }
        for (stream, state) in zip(streams, polled.dropFirst()) where state.revents != 0 {
            stream.isReady()
        }
        for (entry, state) in zip(connecting, polled.dropFirst(1 + streams.count))
        where state.revents != 0 {
            self.connecting.removeAll { $0.descriptor == entry.descriptor }
            finish(entry.descriptor, entry.peer, entry.completion)
        }
        for letter in letters.take() { letter() }
        let now = nowMilliseconds
        let due = timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
        timers.removeAll { $0.due <= now || $0.action == nil }
        for timer in due { timer.fire() }
        finishTurn()
    }

    /// How long there is nothing to do, if nothing comes.
    private var wait: Int32 {
        if !actions.isEmpty { return 0 }
        guard let due = timers.map(\.due).min() else { return -1 }
        return Int32(clamping: due - min(due, nowMilliseconds))
    }

    private func finishTurn() {
        let now = actions
        actions = []
        for action in now { action() }
    }

    private func finish(_ descriptor: Int32, _ peer: String, _ completion: Completion) {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        guard error == 0 else {
            close(descriptor)
            return completion(.failure(.unreachable(peer)))
        }
        let stream = PlainStream(descriptor, peer, self)
        streams.append(stream)
        completion(.success(stream))
    }

    func forget(_ stream: PlainStream) {
        streams.removeAll { $0 === stream }
    }
}

/// An action that is still to come.
final class PlainTimer: SyncIO.Timer {
    let due: UInt64
    private(set) var action: (() -> Void)?

    init(due: UInt64, _ action: @escaping () -> Void) {
        self.due = due
        self.action = action
    }

    func fire() {
        let action = action
        cancel()
        action?()
    }

    func cancel() { action = nil }
}
