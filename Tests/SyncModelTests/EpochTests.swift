import SyncModel
import Testing

/// Of which epoch a room's revisions are.
@Suite struct EpochTests {
    private let room = RoomID(high: 1, low: 2)

    /// A room that was restored twice to revision 5, and once to 9.
    private var identity: RoomIdentity {
        var identity = RoomIdentity(room, Epoch(EpochID(value: 1), first: 0))
        identity.begin(Epoch(EpochID(value: 2), first: 5))
        identity.begin(Epoch(EpochID(value: 3), first: 5))
        identity.begin(Epoch(EpochID(value: 4), first: 9))
        return identity
    }

    @Test func aRevisionIsOfTheEpochThatWroteIt() {
        let epochs = (0...10).map { identity.origin(of: $0).epoch.value }
        #expect(epochs == [1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 4])
    }

    @Test func anEpochHasWhatTheNextOneGoesOnFrom() {
        func last(_ epoch: UInt64) -> Revision? {
            let origin = Origin(room: room, epoch: EpochID(value: epoch))
            return (0...20).last { identity.includes($0, of: origin) }
        }
        #expect([1, 2, 3, 4, 5].map(last) == [5, 5, 9, 20, nil])
        let other = Origin(room: RoomID(high: 1, low: 3), epoch: EpochID(value: 1))
        #expect(!identity.includes(0, of: other))
    }

    @Test func theLastEpochsAreForClients() {
        #expect(identity.forClients.epochs.map(\.id.value) == [3, 4])
        #expect(identity.forClients.id == room)
    }
}
