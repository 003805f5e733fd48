import Foundation
import SyncBytes
import SyncModel
import SyncWire

extension Collsync_V1_Origin {
    init(_ origin: Origin) {
        room = origin.room.data
        epoch = origin.epoch.data
    }
}

extension Collsync_V1_Identity {
    init(_ identity: RoomIdentity) {
        room = identity.id.data
        epochs = identity.epochs.map { epoch in
            var form = Collsync_V1_Epoch()
            form.id = epoch.id.data
            form.first = epoch.first
            return form
        }
    }
}

extension RoomID {
    fileprivate var data: Data {
        var writer = ByteWriter(capacity: RoomID.byteCount)
        write(to: &writer)
        return Data(writer.makeArray())
    }
}

extension EpochID {
    fileprivate var data: Data {
        var writer = ByteWriter(capacity: EpochID.byteCount)
        write(to: &writer)
        return Data(writer.makeArray())
    }
}
