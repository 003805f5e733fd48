import Synchronization

/// What memory is held for.
package enum MemoryKind: Int, Sendable, CaseIterable {
    /// What connections hold: frames that have not come whole, input that waits, and output.
    case connections
    /// What rooms have under way: transactions that wait to be applied, records and answers that wait for
    /// the log, and what members are being sent in parts.
    case queues
    /// Rooms, those that are being opened included: their items and sections, what they remember of the
    /// past, and their authors.
    case rooms
    /// Layouts, and for connections what is on the screens of their views and not read yet.
    case views
    /// What members show each other, and drag.
    case presence
    /// Snapshots on their way to the store.
    case store
    /// Answers to requests that were not taken yet, and rooms replayed for them.
    case reads
}

/// How many bytes are held, by what they are held for.
package struct MemoryFigures: Sendable, Equatable, CustomStringConvertible {
    private var bytes = SIMD8<Int>.zero

    package init() {}

    package subscript(kind: MemoryKind) -> Int {
        get { bytes[kind.rawValue] }
        set { bytes[kind.rawValue] = newValue }
    }

    /// All of them.
    package var total: Int { bytes.wrappedSum() }

    /// Names and bytes, without those of which nothing is held.
    package var description: String {
        MemoryKind.allCases.filter { self[$0] != 0 }.map { "\($0) \(self[$0])" }
            .joined(separator: ", ")
    }

    package static func += (left: inout MemoryFigures, right: MemoryFigures) {
        left.bytes &+= right.bytes
    }

    /// The figures of a server, which its loops tell.
    final class Table: Sendable {
        private let figures = Mutex(MemoryFigures())

        var current: MemoryFigures { figures.withLock { $0 } }

        func add(_ change: MemoryFigures) {
            figures.withLock { $0 += change }
        }
    }
}
