import NIOHTTP1

/// Reads the head of the response to a GET request, for a client that asks for an upgrade. What
/// follows the head is left to the caller, be it a body or the new protocol.
package final class ResponseReader {
    private let limits: HTTPLimits
    private var unread = UnreadBytes()
    private var searchedBytes = 0
    private var emptyLine = EmptyLine()
    /// The bytes of heads that were skipped.
    private var skippedBytes = 0
    private var error: HTTPError?

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Adds received bytes. When this has returned the head, it is not called again.
    ///
    /// - Returns: the head, when it is complete.
    package func receive(
        _ bytes: UnsafeRawBufferPointer
    ) throws(HTTPError) -> ResponseHead? {
        if let error { throw error }
        unread.append(bytes)
        do throws(HTTPError) {
            return try readHead()
        } catch {
            self.error = error
            unread = UnreadBytes()
            throw error
        }
    }

    /// The bytes behind the head.
    package func takeRest() -> [UInt8] { unread.takeAll() }

    /// Responses with other informational statuses than 101 are skipped; all heads together may
    /// have as many bytes as one.
    private func readHead() throws(HTTPError) -> ResponseHead? {
        while let end = unread.end(
            of: &emptyLine, from: searchedBytes, limit: limits.headBytes - skippedBytes)
        {
            (searchedBytes, emptyLine) = (0, EmptyLine())
            let decoder = MessageDecoder(ofResponseTo: .GET, with: limits)
            let parts = unread.take(end, decoder.decode)
            guard parts.error == nil, let head = parts.head else {
                throw .malformed("The response is not HTTP.")
            }
            let status = Int(head.status.code)
            if !(100..<200).contains(status) || status == 101 {
                return ResponseHead(status, HTTPFields(head.headers))
            }
            skippedBytes += end
        }
        searchedBytes = unread.count
        guard searchedBytes + skippedBytes < limits.headBytes else { throw .headTooLong }
        return nil
    }
}
