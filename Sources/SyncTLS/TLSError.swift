import COpenSSL

/// Why TLS can't be set up from files.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, for people: a sentence without a full stop.
    public let description: String

    /// Makes an error of what failed and of the latest error of OpenSSL, if there is one.
    init(_ what: String, becauseOf reason: String? = OpenSSLErrors.takeLast()) {
        description = reason.map { "\(what): \($0)" } ?? what
    }
}

/// The calling thread's queue of OpenSSL's errors.
enum OpenSSLErrors {
    /// The latest error, 0 if there is none; the queue is empty afterwards.
    static func takeLastCode() -> UInt {
        defer { ERR_clear_error() }
        return ERR_peek_last_error()
    }

    /// The reason of the latest error; the queue is empty afterwards.
    static func takeLast() -> String? {
        text(of: takeLastCode())
    }

    static func text(of code: UInt) -> String? {
        guard code != 0 else { return nil }
        if let text = ERR_reason_error_string(code) { return String(cString: text) }
        return "error \(code)"
    }
}
