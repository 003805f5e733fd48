import SyncIO

/// Fetches tokens from a session's source.
///
/// Invariants:
/// 1. At most one request of the source is unanswered, however long it takes. So a source that
///    never answers makes the client keep one request, and not one for each attempt to connect.
/// 2. Requests begin at least ``paceMilliseconds`` after each other, whatever the server does.
/// 3. At most one completion waits for the answer. It is called once, unless it is abandoned.
final class TokenFetcher {
    typealias Completion = (Result<AccessToken, ClientError>) -> Void

    /// A request of the source.
    private final class Request {
        var cancel: (() -> Void)?
        var isCancelled = false
    }

    static let paceMilliseconds: UInt64 = 1_000

    private let source: any TokenSource
    private let loop: any EventLoop
    private var completion: Completion?
    private var timeout: (any Timer)?
    private var request: Request?
    private var pace: (any Timer)?
    private var lastBegun: UInt64?

    init(_ source: any TokenSource, on loop: any EventLoop) {
        self.source = source
        self.loop = loop
    }

    /// Fetches a token. If a request is unanswered already, its answer counts.
    func fetch(withinMilliseconds timeout: UInt64, _ completion: @escaping Completion) {
        abandon()
        self.completion = completion
        self.timeout = loop.schedule(afterMilliseconds: timeout) { [weak self] in
            self?.cancelRequest()
            self?.finish(.failure(.noToken("the provider of tokens did not answer in time")))
        }
        ask()
    }

    /// Nobody waits for a token any more. The answer to an unanswered request may serve the next
    /// call of ``fetch(withinMilliseconds:_:)``.
    func abandon() {
        completion = nil
        timeout?.cancel()
        timeout = nil
    }

    /// Ends everything.
    func close() {
        abandon()
        pace?.cancel()
        cancelRequest()
    }

    private func ask() {
        guard request == nil, pace == nil else { return }
        if !source.isFixed, let lastBegun {
            let passed = loop.nowMilliseconds - lastBegun
            if passed < TokenFetcher.paceMilliseconds {
                return waitForPace(TokenFetcher.paceMilliseconds - passed)
            }
        }
        let request = Request()
        self.request = request
        lastBegun = loop.nowMilliseconds
        request.cancel = source.fetch(on: loop) { [weak self, weak request] result in
            guard let self, let request, self.request === request else { return }
            didAnswer(request, result)
        }
    }

    private func waitForPace(_ milliseconds: UInt64) {
        pace = loop.schedule(afterMilliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            pace = nil
            if completion != nil { ask() }
        }
    }

    private func didAnswer(_ request: Request, _ result: Result<AccessToken, ClientError>) {
        self.request = nil
        guard completion != nil else { return }
        if request.isCancelled, case .failure = result {
            // It failed because it was cancelled for an earlier caller.
            return ask()
        }
        finish(result.flatMap(checked))
    }

    private func checked(_ token: AccessToken) -> Result<AccessToken, ClientError> {
        if token.text.isEmpty { return .failure(.noToken("the token is empty")) }
        guard token.text.utf8.count <= ClientLimits.tokenBytes else {
            return .failure(.noToken("the token has more than \(ClientLimits.tokenBytes) bytes"))
        }
        return .success(token)
    }

    private func finish(_ result: Result<AccessToken, ClientError>) {
        let completion = completion
        abandon()
        completion?(result)
    }

    private func cancelRequest() {
        guard let request, !request.isCancelled else { return }
        request.isCancelled = true
        request.cancel.take()?()
    }
}
