package import SyncIO

/// Proves to a server who the client is. Its text is in no description of it, so that it gets into
/// no log.
package struct AccessToken: Sendable, Equatable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a token" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a session gets its tokens.
package protocol TokenSource: Sendable {
    /// Whether it has only one token, so that it is in vain to ask again.
    var isFixed: Bool { get }

    /// Gets a token for the server. `completion` is called once, on the loop, within this call or
    /// later. After a call of the result, `completion` need not be called.
    ///
    /// - Returns: cancels the request; `nil` if that is not possible.
    func fetch(
        on loop: any EventLoop, completion: @escaping (Result<AccessToken, ClientError>) -> Void
    ) -> (() -> Void)?
}

/// A token that never changes.
package struct FixedToken: TokenSource {
    private let token: AccessToken

    package init(_ text: String) {
        token = AccessToken(text)
    }

    package var isFixed: Bool { true }

    package func fetch(
        on loop: any EventLoop, completion: @escaping (Result<AccessToken, ClientError>) -> Void
    ) -> (() -> Void)? {
        completion(.success(token))
        return nil
    }
}
