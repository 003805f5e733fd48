import NIOCore
import NIOEmbedded
import NIOHTTP1
import SyncBytes

/// NIO's decoder of one HTTP message, in a channel that does no I/O.
///
/// NIO's channels belong to the thread that makes them: a decoder must be used and released there.
final class MessageDecoder<Head: Equatable & Sendable> {
    /// What a slice of input has given, in this order.
    struct Parts {
        var head: Head?
        var body: [UInt8] = []
        var isAtEnd = false
        var error: (any Error)?
    }

    private let channel: EmbeddedChannel
    private let collector = Collector()

    fileprivate init(_ decoder: any ChannelHandler) {
        channel = EmbeddedChannel(handlers: [decoder, collector])
    }

    deinit {
        // Within a message it fails, and stops all the same.
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// Decodes the next bytes, which must not go beyond the message. Nothing may follow an error.
    func decode(_ bytes: UnsafeRawBufferPointer) -> Parts {
        defer { collector.parts = Parts() }
        do {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
        } catch {
            collector.fail(error)
        }
        return collector.parts
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = HTTPPart<Head, ByteBuffer>

        var parts = Parts()

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !parts.isAtEnd else { return fail(HTTPParserError.invalidInternalState) }
            switch unwrapInboundIn(data) {
            case .head(let head): parts.head = head
            case .body(let bytes): parts.body.append(contentsOf: bytes.readableBytesView)
            case .end: parts.isAtEnd = true
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            fail(error)
        }

        func fail(_ error: any Error) {
            if parts.error == nil { parts.error = error }
        }
    }
}

extension MessageDecoder<HTTPRequestHead> {
    convenience init(ofRequestWith limits: HTTPLimits) {
        self.init(
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits.configuration)))
    }
}

extension MessageDecoder<HTTPResponseHead> {
    convenience init(ofResponseTo method: HTTPMethod, with limits: HTTPLimits) {
        self.init(
            ByteToMessageHandler(
                HTTPResponseDecoder(
                    informationalResponseStrategy: .forward,
                    limitConfiguration: limits.configuration)))
        // The decoder must know to which request it is an answer.
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/")
        _ = try? channel.writeOutbound(HTTPClientRequestPart.head(head))
        _ = try? channel.readOutbound(as: HTTPClientRequestPart.self)
    }
}

extension HTTPLimits {
    fileprivate var configuration: NIOHTTPDecoderLimitConfiguration {
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = headBytes
        configuration.maxHeaderListSize = 2 * headBytes
        configuration.maxHeaderFieldCount = fieldCount
        return configuration
    }
}

extension HTTPFields {
    /// NIO leaves the spaces behind a value.
    init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            add(name, HTTPFields.latin1(ForeignText(bounded: value).trimmed.shown))
        }
    }

    /// A text whose bytes are characters.
    private static func latin1(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * text.utf8.count)
        for byte in text.utf8 {
            if byte < 0x80 {
                bytes.append(byte)
            } else {
                bytes.append(0xC0 | byte >> 6)
                bytes.append(0x80 | byte & 0x3F)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
