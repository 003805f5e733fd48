import SyncBytes
package import SyncModel

/// How much a member may show. No server accepts more than these limits' defaults.
package struct PresenceLimits: Sendable, Equatable {
    /// How many items may be selected, and how many highlighted.
    package var items = PresenceLimits.mostItems
    /// How many bytes the custom value may have, as it is written.
    package var customBytes = PresenceLimits.mostCustomBytes

    package static let mostItems = 1000
    package static let mostCustomBytes = 4 << 10

    package init() {}

    fileprivate func tooMany(_ list: String) -> String {
        "at most \(items) items can be \(list)"
    }

    fileprivate var tooLarge: String { "a custom value has at most \(customBytes) bytes" }
}

/// What a member shows the others of itself.
package struct PresenceState: Sendable, Equatable {
    /// The items it has selected.
    package var selected: [Identifier]
    /// The items it has highlighted.
    package var highlighted: [Identifier]
    /// Whatever else its program shows: a colour, a cursor.
    package var custom: EncodedValue?

    package init(
        selected: [Identifier] = [], highlighted: [Identifier] = [], custom: EncodedValue? = nil
    ) {
        self.selected = selected
        self.highlighted = highlighted
        self.custom = custom
    }

    /// Why no server accepts the state; `nil` if servers do.
    ///
    /// - Parameter frameBytes: how long a frame may be.
    package func excess(frameBytes: Int) -> String? {
        let limits = PresenceLimits()
        if selected.count > limits.items { return limits.tooMany("selected") }
        if highlighted.count > limits.items { return limits.tooMany("highlighted") }
        let customBytes = custom?.bytes.count ?? 0
        if customBytes > limits.customBytes { return limits.tooLarge }
        // Each id has a tag and a length; 32 bytes are for the surrounding messages.
        let bytes = (selected + highlighted).reduce(customBytes + 32) {
            $0 + $1.text.utf8.count + 3
        }
        return bytes > frameBytes ? "what is shown must fit into \(frameBytes) bytes" : nil
    }
}

extension PresenceState {
    /// Field numbers, the same ones in all messages that have a state.
    private enum Number {
        static let selected = 2
        static let highlighted = 3
        static let custom = 4
    }

    func write(to writer: inout ByteWriter) {
        for id in selected { writer.write(Number.selected, id) }
        for id in highlighted { writer.write(Number.highlighted, id) }
        custom?.bytes.withUnsafeBytes { writer.write(field: Number.custom, bytes: $0) }
    }

    /// Reads a state field by field. It stores nothing beyond a limit, and notes which one was
    /// exceeded.
    struct Parser {
        private let limits: PresenceLimits
        private(set) var state = PresenceState()
        /// Which limit the state exceeds, as a sentence; `nil` if none.
        private(set) var excess: String?
        /// An invalid name or value.
        private(set) var fault: ContentFault?

        init(_ limits: PresenceLimits) {
            self.limits = limits
        }

        /// Reads a field's value, or skips a field that is not the state's.
        mutating func take(_ field: Int, _ reader: inout FieldReader) throws(FieldError) {
            // The state is refused anyway, so the rest is skipped.
            guard excess == nil else { return try reader.skip() }
            switch field {
            case Number.selected: try add(to: \.selected, "selected", &reader)
            case Number.highlighted: try add(to: \.highlighted, "highlighted", &reader)
            case Number.custom:
                let body = try reader.body()
                if body.count <= limits.customBytes {
                    state.custom = EncodedValue(parsing: body, noting: &fault)
                } else {
                    excess = limits.tooLarge
                }
            default: try reader.skip()
            }
        }

        private mutating func add(
            to list: WritableKeyPath<PresenceState, [Identifier]>, _ name: String,
            _ reader: inout FieldReader
        ) throws(FieldError) {
            guard state[keyPath: list].count < limits.items else {
                excess = limits.tooMany(name)
                return try reader.skip()
            }
            guard let id = try reader.identifier(noting: &fault) else { return }
            state[keyPath: list].append(id)
        }
    }
}
