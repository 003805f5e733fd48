import CollSync
import Glibc

/// A file with a token, which another program may replace at any time.
struct TokenFile: Equatable, Sendable {
    let path: String

    static let maximumBytes = 8 << 10
    static let errorCode = "badTokenFile"

    /// Reads the token: the file's text without the white space around it.
    func read() throws(CollectionError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: TokenFile.maximumBytes + 1)
        while bytes.count <= TokenFile.maximumBytes {
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.count <= TokenFile.maximumBytes else {
            throw failure("it has more than \(TokenFile.maximumBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("it is not UTF-8")
        }
        let token = TokenFile.trimmed(text)
        guard !token.isEmpty else { throw failure("it is empty") }
        return token
    }

    private static func trimmed(_ text: String) -> String {
        let begun = text.drop(while: \.isWhitespace)
        guard let last = begun.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(begun[...last])
    }

    /// It may be readable the next time.
    private func failure(_ reason: String) -> CollectionError {
        CollectionError(
            code: TokenFile.errorCode, message: "cannot read the token in \(path): \(reason)",
            retry: true)
    }
}
