import EngineTwin
package import SyncModel
package import SyncRoom

extension Room {
    /// Plays a random history into a room, a few transactions a tick.
    package static func played(
        seed: UInt64, steps: Int, _ endOfTick: (Room, LogRecord) -> Void
    ) throws -> Room {
        var policy = RoomPolicy()
        policy.horizon = seed % 30 + 1
        policy.maximumHorizon = policy.horizon * 2
        let room = Room(RoomState(), opening: .test, handle: 1, policy: policy)
        var generator = HistoryGenerator(seed: seed)
        let twin = Twin()
        var members: [Identifier: ConnectionID] = [:]
        var counters: [Identifier: UInt64] = [:]
        for step in 0..<steps {
            guard case .submit(let transaction, let author) = generator.next(twin) else { continue }
            _ = try? twin.submit(transaction, by: author)
            let member = members[author] ?? ConnectionID(value: UInt64(members.count))
            if members.updateValue(member, forKey: author) == nil {
                _ = try room.settled.join(Admission(member: member, client: author, secret: [7]))
            }
            counters[author, default: 0] += 1
            _ = room.receive(
                try PackedTransaction(transaction), counter: counters[author] ?? 0, from: member)
            guard step % 3 == 0, let record = room.endTurn(wallClockMilliseconds: UInt64(step))
            else { continue }
            room.appended(through: record.sequence)
            endOfTick(room, record)
        }
        return room
    }
}
