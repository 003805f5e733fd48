/// A session that a gateway has opened.
package struct GatewaySession {
    private weak var session: Session?

    init(_ session: Session) {
        self.session = session
    }

    /// The user that it has signed in as; empty if it has not, or is over.
    package var user: String { session?.user ?? "" }
}
