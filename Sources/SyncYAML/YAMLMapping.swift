/// A YAML document that is one mapping of names to texts or lists of texts.
///
/// Texts are as they are written: `off` is a word, and YAML's types are not used. Anchors, aliases
/// and types are refused, so reading takes time and memory in proportion to the text, however it is
/// nested.
package struct YAMLMapping: Sendable {
    package struct Node: Sendable {
        package enum Value: Sendable {
            /// - Parameter isPlain: whether it stands without quotes.
            case text(String, isPlain: Bool)
            case list([Node])
            case mapping
        }

        package var value: Value
        /// From 1.
        package let line: Int
    }

    /// In the order of the text. A name may come several times.
    package private(set) var members: [(name: Node, value: Node)] = []

    /// Reads a document, which must be UTF-8.
    ///
    /// - Throws: ``YAMLError`` for text that is no YAML, and for what is refused.
    package init(_ text: String) throws(YAMLError) {
        let events = try YAMLEvents(text)
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamStart, .documentStart, .documentEnd: break
            case .streamEnd where !members.isEmpty: return
            case .streamEnd: throw YAMLMapping.noMapping(nil)
            case .mappingStart: try readMembers(events)
            case .text, .listStart, .listEnd, .mappingEnd:
                throw YAMLMapping.noMapping(event.line)
            }
        }
    }

    private static func noMapping(_ line: Int?) -> YAMLError {
        YAMLError(line: line, problem: "it has no names with values, such as 'max-memory: 512M'")
    }

    private mutating func readMembers(_ events: YAMLEvents) throws(YAMLError) {
        while true {
            let event = try events.next()
            if event.kind == .mappingEnd { return }
            let name = try YAMLMapping.node(event, events)
            members.append((name, try YAMLMapping.node(try events.next(), events)))
        }
    }

    /// The node that begins with an event. Its lists have texts; what is nested deeper is passed
    /// over.
    private static func node(_ event: YAMLEvent, _ events: YAMLEvents) throws(YAMLError) -> Node {
        switch event.kind {
        case .text(let text, let isPlain):
            return Node(value: .text(text, isPlain: isPlain), line: event.line)
        case .listStart:
            var nodes: [Node] = []
            while case let element = try events.next(), element.kind != .listEnd {
                if case .text(let text, let isPlain) = element.kind {
                    nodes.append(
                        Node(value: .text(text, isPlain: isPlain), line: element.line))
                } else {
                    try events.skipNode()
                    nodes.append(Node(value: .mapping, line: element.line))
                }
            }
            return Node(value: .list(nodes), line: event.line)
        default:
            try events.skipNode()
            return Node(value: .mapping, line: event.line)
        }
    }
}

/// Why a text can't be read. It never quotes the text, which may have secrets.
package struct YAMLError: Error, Sendable, Equatable {
    /// From 1; `nil` if no single line is wrong.
    package let line: Int?
    /// For people: a sentence without a full stop.
    package let problem: String
}
