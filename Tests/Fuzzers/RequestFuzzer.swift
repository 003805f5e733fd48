import HTTPSupport
import SyncBytes
import SyncHTTPCodec

/// Bytes of an HTTP connection: requests, or the response to one.
///
/// - However the bytes are cut, they give the same requests and the same error.
/// - What is read of a head can be written, and is read the same again.
/// - Readers of targets and fields take anything.
enum RequestFuzzer {
    /// Small, so that short inputs reach them.
    private static let limits = {
        var limits = HTTPLimits()
        (limits.headBytes, limits.targetBytes, limits.fieldCount) = (512, 64, 8)
        (limits.sliceBytes, limits.framingShare) = (32, 2)
        return limits
    }()

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        let piece = 1 + choices.below(16)
        let bytes = choices.rest
        let whole = requests(bytes, pieceBytes: max(bytes.count, 1))
        let cut = requests(bytes, pieceBytes: piece)
        expect(whole == cut, "the requests differ in pieces of \(piece) bytes: \(whole), \(cut)")
        let response = response(bytes, pieceBytes: max(bytes.count, 1))
        let cutResponse = self.response(bytes, pieceBytes: piece)
        expect(response == cutResponse, "the response differs in pieces of \(piece) bytes")
        for head in whole.heads { check(head) }
    }

    private struct Reading: Equatable {
        var heads: [RequestHead] = []
        var body: [UInt8] = []
        var ends: [Int] = []
        var status: Int?
        var rest: [UInt8] = []
    }

    private static func requests(
        _ bytes: UnsafeRawBufferPointer, pieceBytes: Int
    ) -> Reading {
        let reader = RequestReader(limits: limits)
        var reading = Reading()
        do throws(HTTPError) {
            for piece in pieces(of: bytes, pieceBytes) {
                reader.receive(piece)
                while let event = try reader.next() {
                    switch event {
                    case .head(let head): reading.heads.append(head)
                    case .body(let bytes): reading.body += bytes
                    case .end: reading.ends.append(reading.body.count)
                    }
                }
                expect(reader.memoryBytes < 64 << 10, "a reader uses \(reader.memoryBytes) bytes")
            }
        } catch {
            reading.status = error.status
        }
        expect(reading.body.count <= bytes.count, "a body is longer than the input")
        reading.rest = reader.takeRest()
        return reading
    }

    private static func response(
        _ bytes: UnsafeRawBufferPointer, pieceBytes: Int
    ) -> ResponseHead? {
        let reader = ResponseReader(limits: limits)
        for piece in pieces(of: bytes, pieceBytes) {
            if let head = try? reader.receive(piece) { return head }
        }
        return nil
    }

    private static func pieces(
        of bytes: UnsafeRawBufferPointer, _ pieceBytes: Int
    ) -> [UnsafeRawBufferPointer] {
        stride(from: 0, to: bytes.count, by: pieceBytes).map { start in
            let end = min(start + pieceBytes, bytes.count)
            return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        }
    }

    private static func check(_ head: RequestHead) {
        var writer = ByteWriter()
        let isWritten = head.write(to: &writer)
        expect(isWritten, "a head that was read can't be written: \(head)")
        var roomy = HTTPLimits()
        roomy.fieldCount = limits.fieldCount
        let reader = RequestReader(limits: roomy)
        reader.receive(writer.bytes)
        decode(head)
        // A head is always written as HTTP/1.1.
        guard head.is11 else { return }
        guard case .head(let again)? = try? reader.next() else {
            finding("a written head can't be read: \(head)")
        }
        expect(again == head, "a head changes when it is written and read: \(head), \(again)")
    }

    /// Reads what a head contains.
    private static func decode(_ head: RequestHead) {
        if let target = try? RequestTarget(head.target) {
            expect(
                !target.path.contains { $0.isSame(as: "..") } && target.query.count <= 64,
                "a target is \(target)")
        }
        for field in head.fields.all {
            var fields = HTTPFields()
            for name in ["Forwarded", "Accept-Encoding", "If-None-Match"] {
                fields.add(name, field.value.shown)
            }
            let address = try? Forwarded.client(in: fields)
            expect((address?.utf8.count ?? 0) < 46, "an address is \(address ?? "")")
            _ = fields.acceptsGzip
            expect(
                field.value.isSame(as: "*") || !fields.hasNoneMatch("\"\n\""),
                "a tag has a line feed")
        }
    }
}
