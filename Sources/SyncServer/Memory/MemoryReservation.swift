import Synchronization

/// What memory is counted as.
enum MemoryKind: Sendable {
    case rooms
    case views
    case reads

    var path: WritableKeyPath<MemoryFigures, Int> {
        switch self {
        case .rooms: \.rooms
        case .views: \.views
        case .reads: \.reads
        }
    }
}

/// Memory that the ledger counts for something that has no account, or none yet: a room that is being
/// opened, a layout being made, a room replayed for a read. Whoever lets go of it gives the memory back.
final class MemoryReservation: Sendable {
    private let ledger: MemoryLedger
    private let kind: MemoryKind
    private let bytes: Mutex<Int>

    init(_ bytes: Int, _ kind: MemoryKind, _ ledger: MemoryLedger) {
        self.bytes = Mutex(bytes)
        self.kind = kind
        self.ledger = ledger
    }

    deinit {
        ledger.change(kind, by: -bytes.withLock { $0 })
    }

    /// Counts what there really is.
    func change(to count: Int) {
        let change = bytes.withLock { bytes in
            defer { bytes = count }
            return count - bytes
        }
        ledger.change(kind, by: change)
    }
}
