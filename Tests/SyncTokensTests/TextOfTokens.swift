import SyncAccess
import SyncBytes
import SyncTokens

// Tokens as tests write them.

extension KeyVerifier {
    func verify(_ token: String, at now: UInt64) throws(TokenFailure) -> Access {
        try verify(ForeignText(bounded: token), at: now)
    }
}

extension WebToken {
    init(parsing token: String) throws(TokenFailure) {
        try self.init(parsing: ForeignText(bounded: token))
    }
}
