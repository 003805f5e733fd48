/// Why a request can't be read, as the status of its answer and a sentence for people. No other
/// request is read from its connection.
package enum HTTPError: Error, Equatable, Sendable {
    /// The request breaks the rules of HTTP, or could be read in two ways.
    case malformed(String)
    case targetTooLong
    case headTooLong
    /// What is asked for is part of HTTP, and not done here.
    case notImplemented(String)
    case unsupportedVersion

    package var status: Int {
        switch self {
        case .malformed: 400
        case .targetTooLong: 414
        case .headTooLong: 431
        case .notImplemented: 501
        case .unsupportedVersion: 505
        }
    }

    package var text: String {
        switch self {
        case .malformed(let why): why
        case .targetTooLong: "The target of the request is too long."
        case .headTooLong: "The request has too many header fields, or they are too long."
        case .notImplemented(let what): what
        case .unsupportedVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        }
    }
}
