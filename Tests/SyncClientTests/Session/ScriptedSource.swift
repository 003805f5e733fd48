import SyncClient
import SyncIO
import SyncWire

/// A source of tokens that are called `token 1`, `token 2` and so on, by its requests, with a
/// padding behind that.
final class ScriptedSource: TokenSource, @unchecked Sendable {
    // Sendable: a simulation has one thread.

    private(set) var times: [UInt64] = []
    private(set) var cancelled = 0
    /// How many of the next requests fail.
    var failures = 0
    var failure = ClientError.noToken(code: "noToken", message: "no", retry: true)
    /// Whether it answers, before long.
    var answers = true
    var padding = ""
    private var unanswered: [() -> Void] = []

    var isFixed: Bool { false }

    /// How many requests there were.
    var count: Int { times.count }

    func fetch(
        on loop: any EventLoop, completion: @escaping (Result<AccessToken, ClientError>) -> Void
    ) -> (() -> Void)? {
        times.append(loop.nowMilliseconds)
        let number = count
        unanswered.append { [unowned self] in
            if failures > 0 {
                failures -= 1
                completion(.failure(failure))
            } else {
                completion(.success(AccessToken("token \(number)" + padding)))
            }
        }
        if answers { loop.schedule(afterMilliseconds: 2) { [weak self] in self?.answer() } }
        return { [unowned self] in cancelled += 1 }
    }

    /// Answers all requests.
    func answer() {
        let unanswered = unanswered
        self.unanswered = []
        for answer in unanswered { answer() }
    }
}

extension ScriptedServer {
    typealias Answer = (ScriptedConnection, ClientMessage) -> Void

    /// The tokens in the hellos of all connections.
    var tokens: [String] {
        connections.flatMap(\.heard).compactMap { message in
            if case .hello(let hello) = message { hello.token.shown } else { nil }
        }
    }

    /// The renewals of the newest connection.
    var renewals: [Renew] {
        heard.compactMap { message in
            if case .renew(let renew) = message { renew } else { nil }
        }
    }
}
