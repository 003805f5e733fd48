import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncLayout
import SyncServer
import SyncWire

/// Lays a collection out that is no room: an input line of `collsync-cli layout` as the body.
///
/// It takes time of a worker. So whoever asks has to show a token like others, if the server asks
/// for tokens.
final class LayoutPost: SessionRequest {
    private var body = RequestBody(of: "a layout", atMost: LayoutPost.mostBytes)
    private var limits = LayoutLimits()

    /// The most bytes of a body. In memory it may take some 50 times as many while it is read.
    static let mostBytes = 256 << 10
    /// The most items; they take a worker some milliseconds.
    static let mostItems = 100_000

    init(_ connection: HTTPConnection, _ session: RequestSession) {
        limits.items = LayoutPost.mostItems
        limits.elements = connection.gateway.wire.viewElements
        super.init(connection, session)
    }

    override var memoryBytes: Int { 512 + body.memoryBytes }

    override func refusal(ofBodyBytes count: Int) -> ErrorMessage? {
        body.refusal(ofBytes: count)
    }

    override func receive(_ bytes: [UInt8]) {
        if !isOver, let error = body.add(bytes) { refuse(error) }
    }

    override func ask() {
        let (body, limits) = (SharedBytes(body.take()), limits)
        performAside {
            LayoutPost.answer(to: body, within: limits)
        } then: { [self] result in
            switch result {
            case .success(let response): respond(response)
            case .failure(let error as LayoutError):
                refuse(ErrorMessage(.limitExceeded, error.explanation))
            case .failure(let error): refuse(malformed: "\(error)")
            }
        }
    }

    private static func answer(
        to body: SharedBytes, within limits: LayoutLimits
    ) -> Result<Response, any Error> {
        Result {
            let input = try body.withBytes { bytes throws(JSONError) in
                try LayoutInput(line: bytes)
            }
            let answer = try LayoutAnswer(to: input, within: limits)
            var writer = JSONWriter()
            writer.write(answer)
            writer.endLine()
            return Response(
                200, HTTPFields(["Content-Type": "application/json"]).warning(input.warning),
                body: SharedBytes(copying: writer.bytes))
        }
    }
}
