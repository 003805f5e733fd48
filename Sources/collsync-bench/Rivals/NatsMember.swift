import SyncBytes

/// A connection to NATS with a consumer of its own for a JetStream stream. It may publish, too.
struct NatsMember: CrowdMember {
    private static let payload = String(repeating: "x", count: 44)

    private let inbox: String
    private(set) var seen = 0
    private(set) var answered = 0
    private var input: [UInt8] = []

    /// Creates the stream, in a file.
    static func makeStream(on socket: Socket) throws {
        var member = try NatsMember(greeting: socket, inbox: "setup")
        try member.ask(
            "STREAM.CREATE.bench", #"{"name":"bench","subjects":["edits"],"storage":"file"}"#,
            on: socket)
    }

    init(entering socket: Socket, number: Int) throws {
        try self.init(greeting: socket, inbox: "inbox.\(number)")
        let consumer = """
            {"stream_name":"bench","config":{"deliver_subject":"deliver.\(number)",\
            "deliver_policy":"all","ack_policy":"none"}}
            """
        try NatsMember.send("SUB deliver.\(number) 1\r\n", on: socket)
        try ask("CONSUMER.CREATE.bench", consumer, on: socket)
        answered = 0
    }

    private init(greeting socket: Socket, inbox: String) throws {
        self.inbox = inbox
        try NatsMember.send("CONNECT {\"verbose\":false}\r\nSUB \(inbox) 2\r\n", on: socket)
    }

    /// Sends a request, and waits for the answer in the inbox.
    private mutating func ask(_ what: String, _ text: String, on socket: Socket) throws {
        try NatsMember.send(
            "PUB $JS.API.\(what) \(inbox) \(text.utf8.count)\r\n\(text)\r\n", on: socket)
        var memory = [UInt8](repeating: 0, count: 4096)
        while answered == 0 {
            try memory.withUnsafeMutableBytes { try receive(try socket.receive(into: $0)) }
        }
    }

    private static func send(_ text: String, on socket: Socket) throws {
        var text = text
        try text.withUTF8 { try socket.send(UnsafeRawBufferPointer($0)) }
    }

    mutating func settle() {}

    mutating func writeEdit(to writer: inout ByteWriter) {
        writer.write(utf8Of: "PUB edits \(inbox) 44\r\n\(NatsMember.payload)\r\n")
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        input.append(contentsOf: bytes)
        var used = 0
        try input.withUnsafeBytes { bytes in
            while let end = bytes[used...].firstIndex(of: UInt8(ascii: "\n")) {
                let words = bytes[used..<end].dropLast().split(separator: UInt8(ascii: " "))
                guard words.first?.elementsEqual("MSG".utf8) == true, words.count > 3 else {
                    if words.first?.elementsEqual("-ERR".utf8) == true {
                        throw BenchError("NATS says it is wrong")
                    }
                    // Information and pings. So short a run needs no answers to pings.
                    used = end + 1
                    continue
                }
                let size = words[words.count - 1].reduce(0) { $0 * 10 + Int($1 & 0xF) }
                guard end + 1 + size + 2 <= bytes.count else { return }
                if words[2].elementsEqual("1".utf8) { seen += 1 } else { answered += 1 }
                used = end + 1 + size + 2
            }
        }
        input.removeFirst(used)
    }
}
