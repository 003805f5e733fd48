import CUV
import Glibc
import SyncIO

/// One `connect`: looks the name up unless it is numeric, then tries the addresses in turn.
///
/// A pending lookup or attempt retains it, so it lives until `completion` has been called.
final class UVConnector {
    /// How long an address may take to answer before the next is tried.
    private static let attemptMilliseconds: UInt64 = 10_000

    private let loop: UVLoop
    private let address: SocketAddress
    private var completion: ((Result<any ByteStream, IOError>) -> Void)?
    private var candidates: [ResolvedAddress] = []
    private var failure: IOError
    private var lookup: UnsafeMutablePointer<uv_getaddrinfo_t>?
    private var attempt: (stream: UVStream, deadline: any Timer)?

    init(
        to address: SocketAddress, on loop: UVLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.completion = completion
        failure = .unreachable("\(address) has no address")
    }

    func start() {
        do throws(LookupError) {
            candidates = try ResolvedAddress.lookUp(address, flags: AI_NUMERICHOST).reversed()
            tryNext()
        } catch {
            lookUp()
        }
    }

    // MARK: Looking up

    private func lookUp() {
        guard !loop.isStopping else { return giveUp() }
        let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var hints = ResolvedAddress.hints()
        let status = uv_getaddrinfo(
            loop.raw, request, lookupDidEnd, address.host, String(address.port), &hints)
        guard status >= 0 else {
            Unmanaged.passUnretained(self).release()
            request.deallocate()
            failure = .unreachable("\(address): \(describe(status))")
            return giveUp()
        }
        lookup = request
        loop.lookupDidBegin(self)
    }

    /// Cancels the lookup if it has not begun; a running one can't be stopped.
    func cancelLookup() {
        if let lookup {
            _ = lookup.withMemoryRebound(to: uv_req_t.self, capacity: 1) { uv_cancel($0) }
        }
    }

    fileprivate func didLookUp(_ status: UVStatus, _ list: UnsafeMutablePointer<addrinfo>?) {
        lookup?.deallocate()
        lookup = nil
        loop.lookupDidEnd(self)
        if status < 0 { failure = .unreachable("\(address): \(describe(status))") }
        candidates = ResolvedAddress.all(in: list).reversed()
        uv_freeaddrinfo(list)
        tryNext()
    }

    // MARK: Connecting

    private func tryNext() {
        while !loop.isStopping, let candidate = candidates.popLast() {
            do throws(IOError) {
                return try connect(to: candidate)
            } catch {
                failure = error
            }
        }
        giveUp()
    }

    private func connect(to candidate: ResolvedAddress) throws(IOError) {
        let peer = candidate.socketAddress?.description ?? address.description
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(candidate.family, type, 0)
        guard socket >= 0 else { throw error(for: -errno) }
        let status = candidate.withPointer { Glibc.connect(socket, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            let number = errno
            Glibc.close(socket)
            throw error(for: -number)
        }
        let stream = try UVStream(taking: socket, on: loop, peer: peer)
        stream.awaitConnection { self.didConnect($0) }
        let deadline = loop.schedule(afterMilliseconds: UVConnector.attemptMilliseconds) {
            stream.close()
        }
        attempt = (stream, deadline)
    }

    private func didConnect(_ status: UVStatus) {
        guard let (stream, deadline) = attempt else { return }
        attempt = nil
        deadline.cancel()
        guard status >= 0 else {
            failure = error(for: status)
            stream.close()
            return tryNext()
        }
        complete(.success(stream))
        if stream.isUnused { stream.close() }
    }

    private func error(for status: UVStatus) -> IOError {
        switch uv_errno_t(status) {
        case UV_EMFILE, UV_ENFILE, UV_ENOBUFS, UV_ENOMEM:
            .system("cannot connect to \(address): \(describe(status))")
        // Only the deadline or the loop's end cancels an attempt.
        case UV_ECANCELED: .unreachable("\(address): no answer")
        default: .unreachable("\(address): \(describe(status))")
        }
    }

    private func giveUp() {
        if loop.isStopping { failure = .unreachable("\(address): the loop has stopped") }
        loop.callLater(.failed(self))
    }

    func reportFailure() {
        complete(.failure(failure))
    }

    private func complete(_ result: Result<any ByteStream, IOError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

private func lookupDidEnd(
    _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ status: Int32,
    _ list: UnsafeMutablePointer<addrinfo>?
) {
    guard let data = request?.pointee.data else { return }
    Unmanaged<UVConnector>.fromOpaque(data).takeRetainedValue().didLookUp(status, list)
}
