/// The bounds of tokens.
package enum TokenBounds {
    /// How many bytes of UTF-8 a token has at most.
    package static let maximumBytes = 8 << 10
    /// By how many seconds the issuer's clock may be ahead of the server's.
    package static let clockSkew: UInt64 = 60
}
