import Foundation

/// A conversation of `Protocol/conversations`, one message a line: the messages of a client and its
/// server, and those that another client, Bob, sends meanwhile.
///
/// It is its own script: ``ConversationPlayer`` sends the clients' messages again.
struct Conversation: Equatable {
    enum Line: Equatable {
        case client(String)
        case server(String)
        /// Bob's connect, his join and the messages to him are left out.
        case bob(String)
        /// An event, in parentheses.
        case event(String)
    }

    struct Unreadable: Error {
        let line: String
    }

    static let names = ["read", "write", "resume", "views"]

    private static let readme = protocolFolder.appending(path: "README.md")

    var lines: [Line] = []

    init(lines: [Line] = []) {
        self.lines = lines
    }

    init(text: String) throws {
        lines = try text.split(separator: "\n").map(Conversation.line)
    }

    private static func line(_ text: Substring) throws -> Line {
        let parts = text.split(separator: ": ", maxSplits: 1)
        switch parts.first {
        case "C" where parts.count == 2: return .client(String(parts[1]))
        case "S" where parts.count == 2: return .server(String(parts[1]))
        case "Bob" where parts.count == 2: return .bob(String(parts[1]))
        default:
            guard text.hasPrefix("("), text.hasSuffix(")") else {
                throw Unreadable(line: String(text))
            }
            return .event(String(text))
        }
    }

    var text: String {
        lines.map { line in
            switch line {
            case .client(let text): "C: \(text)\n"
            case .server(let text): "S: \(text)\n"
            case .bob(let text): "Bob: \(text)\n"
            case .event(let text): "\(text)\n"
            }
        }.joined()
    }

    // MARK: Files

    static func file(_ name: String) -> URL {
        protocolFolder.appending(path: "conversations").appending(path: "\(name).txt")
    }

    init(named name: String) throws {
        try self.init(text: String(contentsOf: Conversation.file(name), encoding: .utf8))
    }

    /// Writes the file, and the block of the README with it.
    func write(named name: String) throws {
        try text.write(to: Conversation.file(name), atomically: true, encoding: .utf8)
        var page = try String(contentsOf: Conversation.readme, encoding: .utf8)
        guard let block = Conversation.block(name, in: page) else { return }
        page.replaceSubrange(block, with: text)
        try page.write(to: Conversation.readme, atomically: true, encoding: .utf8)
    }

    /// The README's block of a conversation.
    static func shown(_ name: String) throws -> String? {
        let page = try String(contentsOf: readme, encoding: .utf8)
        return block(name, in: page).map { String(page[$0]) }
    }

    /// The first block of a page after the link to the conversation's file.
    private static func block(_ name: String, in page: String) -> Range<String.Index>? {
        guard let link = page.range(of: "(conversations/\(name).txt)"),
            let begin = page.range(of: "\n```text\n", range: link.upperBound..<page.endIndex),
            let end = page.range(of: "```\n", range: begin.upperBound..<page.endIndex)
        else { return nil }
        return begin.upperBound..<end.lowerBound
    }
}
