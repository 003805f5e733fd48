import SyncRoom
import Synchronization

/// What a connection holds of a server's memory: what comes and goes on it and its transactions that are
/// not answered, as its session says; the screens of its views; and answers to its requests that it has
/// not taken. Rooms on several threads count there.
///
/// Answers may be shared with others, and one may be of any size. So what a connection has asked for counts
/// when it asks for more, and does not close it.
final class ConnectionAccount: Sendable {
    /// How many bytes there may be.
    let limit: Int
    private let readLimit: Int
    let views: ViewAccount
    private let own = Atomic(0)
    private let reads = Atomic(0)

    init(_ configuration: ServerConfiguration) {
        limit = configuration.maximumConnectionBytes
        readLimit = configuration.maximumReadBytesPerConnection
        views = ViewAccount(limit: configuration.maximumViewBytes)
    }

    /// Says what its session holds.
    ///
    /// - Returns: whether that is too much, with its views.
    func enter(own bytes: Int) -> Bool {
        own.store(bytes, ordering: .relaxed)
        return bytes + views.byteCount > limit
    }

    /// How many bytes of answers it has asked for and not taken.
    var readBytes: Int { reads.load(ordering: .relaxed) }

    /// Counts an answer; `false` if that is too much, and not the only one.
    func takeRead(_ bytes: Int) -> Bool {
        let held = reads.add(bytes, ordering: .relaxed).newValue
        let all = held + own.load(ordering: .relaxed) + views.byteCount
        if held == bytes || (held <= readLimit && all <= limit) { return true }
        reads.subtract(bytes, ordering: .relaxed)
        return false
    }

    func giveReadBack(_ bytes: Int) {
        reads.subtract(bytes, ordering: .relaxed)
    }
}
