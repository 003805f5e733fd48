import ModelSupport
import RoomSupport
import SyncModel
import SyncRoom

extension SecretHash {
    /// Some client's hash, for tests of other things.
    static var test: SecretHash {
        SecretHash(of: [1], client: id("anna"), user: "", in: RoomOpening.test.room)
    }
}
