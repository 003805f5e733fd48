import SyncClient
import SyncIO

/// Tokens of a program's function, which runs in a task of its own.
struct ProvidedTokens: TokenSource {
    let provide: @Sendable () async throws -> String

    var isFixed: Bool { false }

    func fetch(
        on loop: any EventLoop, completion: @escaping (Result<AccessToken, ClientError>) -> Void
    ) -> (() -> Void)? {
        let (provide, mailbox, completion) = (provide, loop.mailbox, LoopConfined(completion))
        // A connection waits for it, perhaps behind much other work of the program.
        let task = Task(priority: .high) {
            let result: Result<AccessToken, ClientError>
            do {
                result = .success(AccessToken(try await provide()))
            } catch {
                result = .failure(ClientError(ofProvider: error))
            }
            mailbox.post { completion.value(result) }
        }
        return { task.cancel() }
    }
}

extension ClientError {
    /// Only an error that is made for the client's user is quoted: any other may have a token or a
    /// password in its text.
    init(ofProvider error: any Error) {
        if let error = error as? CollectionError {
            self = .noToken(code: error.code, message: error.message, retry: error.retry)
        } else {
            self = .noToken(
                code: "noToken", message: "the provider of tokens threw a \(type(of: error))",
                retry: true)
        }
    }
}
