import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom

extension SecretHash {
    /// Some client's, for tests that look at something else.
    static var test: SecretHash {
        SecretHash(of: [1], client: id("anna"), in: RoomOpening.test.room)
    }
}
