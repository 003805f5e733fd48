import Foundation
import Glibc

/// A request over HTTP/1.0, with a connection of its own, so that the end of the connection is the
/// end of the answer.
enum PlainRequest {
    struct Answer {
        let status: Int
        let head: String
        let body: String
    }

    /// Asks a server of this machine, and waits for the whole answer.
    static func ask(
        _ target: String, by method: String = "GET", at port: UInt16,
        host: String = "127.0.0.1", _ fields: [String: String] = [:], body: String? = nil
    ) throws -> Answer {
        let socket = try RawSocket(port: port)
        var text = "\(method) \(target) HTTP/1.0\r\nHost: \(host)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        try socket.send(Array((text + "\r\n" + (body ?? "")).utf8))
        var received: [UInt8] = []
        while true {
            let bytes = try socket.receive()
            if bytes.isEmpty { break }
            received += bytes
        }
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw TestFailure("\(target) has no answer")
        }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw TestFailure("\(target) has an answer without a status: \(head)")
        }
        return Answer(
            status: status, head: head,
            body: String(decoding: received[end.upperBound...], as: UTF8.self))
    }

    /// Asks again and again, until the answer is as wanted.
    static func wait<Value>(for what: String, _ ask: () throws -> Value?) throws -> Value {
        var value: Value?
        let isThere = try Deadline.isReached {
            value = try ask()
            return value != nil
        }
        guard isThere, let value else { throw TestFailure("there is no \(what) in time") }
        return value
    }
}
