/// How many bytes are held, by what they are held for.
package struct MemoryFigures: Sendable, Equatable, CustomStringConvertible {
    /// What connections hold: frames that have not come whole, input that waits, and output.
    package var connections = 0
    /// What rooms have under way: transactions that wait to be applied, records and answers that wait for
    /// the log, and what members are being sent in parts.
    package var queues = 0
    /// Rooms, those that are being opened included: their items and sections, what they remember of the
    /// past, and their authors.
    package var rooms = 0
    /// Layouts, and for connections what is on the screens of their views and not read yet.
    package var views = 0
    /// What members show each other, and drag.
    package var presence = 0
    /// Snapshots on their way to the store.
    package var store = 0
    /// Answers to requests that were not taken yet, and rooms replayed for them.
    package var reads = 0

    package init() {}

    /// All of them.
    package var total: Int {
        connections + queues + rooms + views + presence + store + reads
    }

    /// The figures with the names that the log gives them.
    private var parts: [(name: String, bytes: Int)] {
        [
            ("connections", connections), ("queues", queues), ("rooms", rooms), ("views", views),
            ("presence", presence), ("store", store), ("reads", reads),
        ]
    }

    /// Names and bytes, without those of which nothing is held.
    package var description: String {
        parts.filter { $0.bytes != 0 }.map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
    }

    static func += (left: inout MemoryFigures, right: MemoryFigures) {
        left.connections &+= right.connections
        left.queues &+= right.queues
        left.rooms &+= right.rooms
        left.views &+= right.views
        left.presence &+= right.presence
        left.store &+= right.store
        left.reads &+= right.reads
    }

    static func -= (left: inout MemoryFigures, right: MemoryFigures) {
        left.connections &-= right.connections
        left.queues &-= right.queues
        left.rooms &-= right.rooms
        left.views &-= right.views
        left.presence &-= right.presence
        left.store &-= right.store
        left.reads &-= right.reads
    }
}
