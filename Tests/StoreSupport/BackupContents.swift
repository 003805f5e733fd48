import SyncBytes
package import SyncModel
package import SyncStore

/// What is in a backup, read by the reader that `restore` uses.
package struct BackupContents: Equatable {
    package struct Snapshot: Equatable {
        package var header: SnapshotHeader
        package var parts: [[UInt8]] = []

        package init(header: SnapshotHeader, parts: [[UInt8]] = []) {
            self.header = header
            self.parts = parts
        }
    }

    package struct Room: Equatable {
        package var state: LogState
        package var snapshots: [Snapshot] = []
        package var records: [LogRecord] = []

        package init(state: LogState) {
            self.state = state
        }
    }

    package var rooms: [Room] = []
    /// Their lines.
    package var revocations: [UInt8] = []

    package init() {}

    /// Reads a stream.
    ///
    /// - Parameters:
    ///   - step: how many bytes come at a time.
    ///   - willRead: called with how many bytes are wanted, and after how many.
    package init(
        reading stream: [UInt8], step: Int = .max,
        willRead: @escaping (_ wanted: Int, _ after: Int) -> Void = { _, _ in }
    ) throws(StoreError) {
        var offset = 0
        var reader = BackupReader { memory in
            willRead(memory.count, offset)
            let count = min(memory.count, stream.count - offset, step)
            memory.copyBytes(from: stream[offset..<(offset + count)])
            offset += count
            return count
        }
        var rooms: [Room] = []
        var revocations: [UInt8] = []
        var goesOn = true
        while goesOn {
            goesOn = try reader.next { piece in
                let last = rooms.count - 1
                switch piece {
                case .revocations(let lines): revocations = lines
                case .room(let state): rooms.append(Room(state: state))
                case .snapshot(let header):
                    rooms[last].snapshots.append(Snapshot(header: header))
                case .part(let bytes):
                    let snapshot = rooms[last].snapshots.count - 1
                    rooms[last].snapshots[snapshot].parts.append(Array(bytes))
                case .record(let record): rooms[last].records.append(record)
                }
            }
        }
        self.rooms = rooms
        self.revocations = revocations
    }

    /// The stream that the store's own code writes.
    package func written(timeMilliseconds: UInt64) throws(StoreError) -> [UInt8] {
        var stream: [UInt8] = []
        var writer = BackupWriter { stream += $0 }
        try writer.begin(timeMilliseconds: timeMilliseconds, revocations: revocations)
        for room in rooms {
            try writer.write(room.state, snapshotCount: room.snapshots.count)
            for snapshot in room.snapshots {
                try writer.write(snapshot.header)
                for part in snapshot.parts {
                    let part = SharedBytes(part)
                    try part.withBytes { bytes throws(StoreError) in
                        try writer.write(part: bytes)
                    }
                }
            }
            for record in room.records { try writer.write(record) }
        }
        try writer.end()
        return stream
    }
}
