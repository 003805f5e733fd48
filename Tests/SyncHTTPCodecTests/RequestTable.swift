import Testing

/// Raw requests and what they are read as: each request's method, target and body, then the status
/// of the error, or the count of unread bytes.
enum RequestTable {
    struct Row: CustomTestStringConvertible {
        var text: String
        var expected: String

        init(_ text: String, _ expected: String) {
            (self.text, self.expected) = (text, expected)
        }

        var testDescription: String { text.debugDescription }
    }

    private static let host = "Host: a\r\n"

    /// Request lines, without CR and LF at the end.
    static let lines = [
        Row("GET /a?b=c HTTP/1.1", #"GET /a?b=c """#),
        Row("GET //a/b HTTP/1.1", #"GET //a/b """#),
        Row("OPTIONS * HTTP/1.1", #"OPTIONS * """#),
        Row("GET http://a/x HTTP/1.1", #"GET /x """#),
        Row("GET HTTPS://A?q HTTP/1.1", #"GET /?q """#),
        Row("GET http://b/x HTTP/1.1", " status 400"),
        Row("GET http://u@a/ HTTP/1.1", " status 400"),
        Row("GET ftp://a/ HTTP/1.1", " status 400"),
        Row("GET * HTTP/1.1", " status 400"),
        Row("GET a HTTP/1.1", " status 400"),
        Row("GET /#a HTTP/1.1", " status 400"),
        Row("GET /é HTTP/1.1", " status 400"),
        Row("GET /\0 HTTP/1.1", " status 400"),
        Row("GET /\u{7F} HTTP/1.1", " status 400"),
        Row("GET /a b HTTP/1.1", " status 400"),
        Row("GET /\tHTTP/1.1", " status 400"),
        Row("GET  / HTTP/1.1", " status 400"),
        Row("GET /  HTTP/1.1", " status 400"),
        Row(" GET / HTTP/1.1", " status 400"),
        Row("GET / HTTP/1.1 ", " status 400"),
        Row("GET / HTTP/1.1\n", " status 400"),
        Row("GET / HTTP/1.1\r", " status 400"),
        Row("GET / http/1.1", " status 400"),
        Row("GET / RTSP/1.0", " status 400"),
        Row("SOURCE / ICE/1.0", " status 400"),
        Row("GET /", " status 505"),
        Row("GET / HTTP/0.9", " status 505"),
        Row("GET / HTTP/1.2", " status 505"),
        Row("GET / HTTP/2.0", " status 505"),
        Row("GET / HTTP/11.1", " status 505"),
        Row("get / HTTP/1.1", " status 501"),
        Row("GETS / HTTP/1.1", " status 501"),
        Row("CONNECT a:1 HTTP/1.1", " status 501"),
        Row("\u{16}\u{3}\u{1} / HTTP/1.1", " status 400"),
        Row("\r\nGET / HTTP/1.1", #"GET / """#),
        Row("\r\n\r\nGET / HTTP/1.1", " status 400"),
        Row("\nGET / HTTP/1.1", " status 400"),
        Row("\rGET / HTTP/1.1", " status 400"),
    ].map { Row("\($0.text)\r\n\(host)\r\n", $0.expected) }

    /// Fields of a request with the body `abc` behind it.
    static let fields = [
        Row("", #"POST / "" unread 3"#),
        Row("Content-Length: 3\r\n", #"POST / "abc""#),
        Row("content-length:\t3 \r\n", #"POST / "abc""#),
        Row("Content-Length: 003\r\n", #"POST / "abc""#),
        Row("Content-Length: 0\r\n", #"POST / "" unread 3"#),
        Row("Content-Length: 3\r\nContent-Length: 3\r\n", " status 400"),
        Row("Content-Length: 3\r\nContent-Length: 4\r\n", " status 400"),
        Row("Content-Length: 3, 3\r\n", " status 400"),
        Row("Content-Length: +3\r\n", " status 400"),
        Row("Content-Length: -3\r\n", " status 400"),
        Row("Content-Length: 0x3\r\n", " status 400"),
        Row("Content-Length: 3.0\r\n", " status 400"),
        Row("Content-Length: \r\n", " status 400"),
        Row("Content-Length: 18446744073709551615\r\n", " status 400"),
        Row("Content-Length: 18446744073709551616\r\n", " status 400"),
        Row("Content-Length : 3\r\n", " status 400"),
        Row("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", " status 400"),
        Row("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", " status 400"),
        Row("Transfer-Encoding: gzip, chunked\r\n", " status 501"),
        Row("Transfer-Encoding: chunked, gzip\r\n", " status 400"),
        Row("Transfer-Encoding: chunked, chunked\r\n", " status 400"),
        Row("Transfer-Encoding: xchunked\r\n", " status 400"),
        Row("Transfer-Encoding: identity\r\n", " status 400"),
        Row("Transfer-Encoding: \u{B}chunked\r\n", " status 400"),
        Row("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", " status 400"),
        Row("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", " status 501"),
        Row("Transfer-Encoding\t: chunked\r\n", " status 400"),
        Row("A: b\r\n c\r\n", " status 400"),
        Row(" A: b\r\n", " status 400"),
        Row("A : b\r\n", " status 400"),
        Row("A\r\n", " status 400"),
        Row(": b\r\n", " status 400"),
        Row("A b: c\r\n", " status 400"),
        Row("A\0: b\r\n", " status 400"),
        Row("A: b\n", " status 400"),
        Row("A: b\n\n", " status 400"),
        Row("A: b\nContent-Length: 3\r\n", " status 400"),
        Row("A: b\rContent-Length: 3\r\n", " status 400"),
        Row("A: b\r\r\n", " status 400"),
        Row("A: b\0\r\n", " status 400"),
        Row("A: b\u{7F}\r\n", " status 400"),
        Row("Host: a\r\n", " status 400"),
        Row("Host: b\r\n", " status 400"),
        Row("A: é\tb\r\n", #"POST / "" unread 3"#),
        Row("A:\r\n", #"POST / "" unread 3"#),
        Row("Connection: close\r\n", #"POST / """#),
        Row("Connection: upgrade\r\nUpgrade: x\r\n", #"POST / "" unread 3"#),
    ].map { Row("POST / HTTP/1.1\r\n\(host)\($0.text)\r\nabc", $0.expected) }

    /// Heads of which the host is what matters.
    static let hosts = [
        Row("GET / HTTP/1.1\r\n\r\n", " status 400"),
        Row("GET / HTTP/1.0\r\n\r\n", #"GET / """#),
        Row("GET / HTTP/1.1\r\nHost:\r\n\r\n", " status 400"),
        Row("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", " status 400"),
        Row("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", " status 400"),
        Row("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", " status 400"),
        Row("GET / HTTP/1.1\r\nHost: é\r\n\r\n", " status 400"),
        Row("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", #"GET / """#),
        Row("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", " status 400"),
        Row("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", " status 505"),
        Row("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", " status 400"),
    ]

    /// Bodies in chunks.
    static let chunks = [
        Row("3\r\nabc\r\n0\r\n\r\n", #"POST / "abc""#),
        Row("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET", #"POST / "abcde" unread 3"#),
        Row("A\r\n0123456789\r\n0\r\n\r\n", #"POST / "0123456789""#),
        Row("4\r\n\r\n\r\n\r\n0\r\n\r\n\r\n", #"POST / "\r\n\r\n""#),
        Row("003\r\nabc\r\n000\r\n\r\n", #"POST / "abc""#),
        Row("3;a=b\r\nabc\r\n0;c\r\n\r\n", #"POST / "abc""#),
        Row("0\r\nA: b\r\n\r\n", #"POST / """#),
        Row("0\r\n\r\nPOST / HTTP/1.0\r\n\r\n", #"POST / "", POST / """#),
        Row("3;a=\"\r\n\"\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("3;\0\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("3;a\nabc\r\n0\r\n\r\n", " status 400"),
        Row("3 \r\nabc\r\n0\r\n\r\n", " status 400"),
        Row(" 3\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("3\nabc\r\n0\r\n\r\n", " status 400"),
        Row("3\r\nabc\n0\r\n\r\n", " status 400"),
        Row("3\r\nabcd\r\n0\r\n\r\n", " status 400"),
        Row("3\r\nabc0\r\n\r\n", " status 400"),
        Row("g\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("0x3\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("-3\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("10000000000000003\r\nabc\r\n0\r\n\r\n", " status 400"),
        Row("\r\nabc", " status 400"),
        Row("0\n\n", " status 400"),
        Row("0\r\n\n", " status 400"),
        Row("0\r\n\r", ""),
        Row("0\r\nA: b\n\r\n", " status 400"),
        Row("0\r\nA : b\r\n\r\n", " status 400"),
        Row("0\r\nA: b\r\n c\r\n\r\n", " status 400"),
        Row("0\r\nContent-Length: 3\r\n\r\n", " status 400"),
        Row("0\r\nTransfer-Encoding: chunked\r\n\r\n", " status 400"),
    ].map { Row(chunked + $0.text, $0.expected) }

    private static let chunked =
        "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n"
}
