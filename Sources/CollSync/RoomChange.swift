import SyncClient
public import SyncModel

/// A change of a room's content, as ``CollectionRoom/changes`` gives them: first a snapshot, then
/// batches, each from the revision at which the one before ended. A snapshot may come in place of
/// batches at any time; it replaces everything before.
public enum RoomChange: Sendable, Equatable {
    /// The whole content.
    case snapshot(Snapshot)
    /// What changed from one revision to a later one.
    case batch(Batch)

    /// The revision that it leads to.
    public var revision: Revision {
        switch self {
        case .snapshot(let snapshot): snapshot.revision
        case .batch(let batch): batch.to
        }
    }
}

extension CollectionRoom {
    /// The room's content and its changes, for a ``CollectionList`` to apply.
    ///
    /// Each sequence has all of them, from a snapshot on, for one task to read. It continues after
    /// lost connections. It ends when the client leaves the room or is closed. If the server ends
    /// it, it throws a ``CollectionError``, such as `roomDeleted`. A slow reader gets fewer, larger
    /// batches, as with ``events``. In a room that was joined for views only nothing comes.
    public var changes: AsyncThrowingStream<RoomChange, any Error> {
        let inbox = inbox(pausing: .unlessAwaited)
        return AsyncThrowingStream {
            while let event = try await inbox.next() {
                switch event {
                case .snapshot(let snapshot): return .snapshot(snapshot)
                case .batch(let batch): return .batch(batch)
                case .ended(let error):
                    guard error.code == CollectionError.closedCode else { throw error }
                    return nil
                case .joined, .authors, .acknowledged, .rejected, .nearLimit, .interrupted: continue
                }
            }
            return nil
        }
    }
}
