import SyncClient
public import SyncModel

/// What a list of a room is made of, in order: a snapshot first, then batches, each from the revision that the one
/// before led to. A snapshot may come in place of batches at any time; it stands for all before.
public enum RoomChange: Sendable, Equatable {
    /// All of the room.
    case snapshot(Snapshot)
    /// What takes the room from one revision to a later one.
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
    /// What the room holds, and what becomes of it: what ``CollectionList`` applies.
    ///
    /// Each sequence has all of it, from a snapshot on, and is read by one task. A lost connection is made again in
    /// the meantime. The sequence ends when the client leaves the room or is closed; it throws the
    /// ``CollectionError`` that puts the client out, such as `roomDeleted`. A slow reader gets fewer, larger batches,
    /// as with ``events``. Of a room that was joined for views only nothing comes.
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
                case .joined, .authors, .acknowledged, .rejected, .interrupted: continue
                }
            }
            return nil
        }
    }
}
