import CYAML

/// A part of a document.
struct YAMLEvent {
    enum Kind: Equatable {
        case streamStart, streamEnd, documentStart, documentEnd
        case text(String, isPlain: Bool)
        case listStart, listEnd, mappingStart, mappingEnd
    }

    let kind: Kind
    /// From 1.
    let line: Int
}

/// The parts of a text, one after the other, by libyaml.
final class YAMLEvents {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private var hasDocument = false

    /// How deep something may be nested: libyaml takes time in proportion to it for each part.
    private static let deepest = 64

    init(_ text: String) throws(YAMLError) {
        bytes = .allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.initialize(to: yaml_parser_t())
            throw YAMLError(line: nil, problem: "there is not enough memory to read it")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        bytes.deallocate()
    }

    func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        let line = Int(event.start_mark.line) + 1
        return YAMLEvent(kind: try kind(of: event, at: line), line: line)
    }

    /// Passes over the rest of a node that is no text, whose first part was the last one.
    func skipNode() throws(YAMLError) {
        var depth = 1
        while depth > 0 {
            let event = try next()
            switch event.kind {
            case .listStart, .mappingStart: depth += 1
            case .listEnd, .mappingEnd: depth -= 1
            default: break
            }
            guard depth <= YAMLEvents.deepest else {
                throw YAMLError(line: event.line, problem: "there is too much nesting")
            }
        }
    }

    private func kind(
        of event: yaml_event_t, at line: Int
    ) throws(YAMLError) -> YAMLEvent.Kind {
        switch event.type {
        case YAML_STREAM_START_EVENT: return .streamStart
        case YAML_DOCUMENT_START_EVENT:
            guard !hasDocument else {
                throw YAMLError(line: line, problem: "expected a single document")
            }
            hasDocument = true
            return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try refuseExtras(scalar.anchor, scalar.tag, at: line)
            let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .text(
                String(decoding: text, as: UTF8.self),
                isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            try refuseExtras(
                event.data.sequence_start.anchor, event.data.sequence_start.tag, at: line)
            return .listStart
        case YAML_SEQUENCE_END_EVENT: return .listEnd
        case YAML_MAPPING_START_EVENT:
            try refuseExtras(
                event.data.mapping_start.anchor, event.data.mapping_start.tag, at: line)
            return .mappingStart
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_ALIAS_EVENT:
            throw YAMLError(line: line, problem: "anchors and aliases can't be used")
        default: return .streamEnd
        }
    }

    private func refuseExtras(
        _ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?, at line: Int
    ) throws(YAMLError) {
        guard anchor == nil else {
            throw YAMLError(line: line, problem: "anchors and aliases can't be used")
        }
        guard tag == nil else { throw YAMLError(line: line, problem: "types can't be used") }
    }

    private var failure: YAMLError {
        let parser = parser.pointee
        let texts = [parser.context, parser.problem].compactMap { $0.map { String(cString: $0) } }
        let problem = texts.isEmpty ? "it can't be read as YAML" : texts.joined(separator: ", ")
        guard parser.error == YAML_READER_ERROR else {
            return YAMLError(line: Int(parser.problem_mark.line) + 1, problem: problem)
        }
        let before = bytes.prefix(Int(clamping: parser.problem_offset))
        return YAMLError(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1, problem: problem)
    }
}
