import SyncEngine
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire
import Synchronization

// The figures of a room and of the server: a line here for each figure of the tables.
extension ServerLoop {
    /// - Parameters:
    ///   - withServer: whether the answer has the figures of the whole server, too.
    ///   - account: the figures of who asks.
    func readStats(
        _ key: FeedKey, of name: RoomName, withServer: Bool, account: Figures<AccountFigure>
    ) {
        read(name, key) { [self] host in
            let room = host.room
            var stats = Stats(
                request: key.request, room: name, identity: room.identity.forClients,
                figures: figures(of: room, host), server: withServer ? figures : Figures(),
                account: account)
            stats.revision = room.durableRevision
            stats.horizon = room.state.engine.horizon
            stats.snapshotRevision = host.images.revision
            addStored(to: stats) { [post = peers[index]] stats in
                post.post { $0.finish(key, with: .stats(stats)) }
            }
        }
    }

    /// Completes the figures of a room with those of the store, on the store's thread.
    private func addStored(
        to unstored: Stats, then completion: @escaping @Sendable (Stats) -> Void
    ) {
        let store = context.store
        let room = unstored.room
        store.summary(of: room) { result in
            let summary = (try? result.get()).flatMap { $0 }
            store.oldestRevision(of: room) { oldest in
                var stats = unstored
                stats.oldestRevision = (try? oldest.get()) ?? 0
                stats.figures.set(
                    .storedBytes, to: (summary?.logBytes ?? 0) + (summary?.snapshotBytes ?? 0))
                completion(stats)
            }
        }
    }

    private func figures(of room: Room, _ host: RoomHost) -> Figures<RoomFigure> {
        let (engine, writes) = (room.state.engine, room.policy.writes)
        let recent = host.quotas.writes.recent(writes, at: loop.nowMilliseconds)
        return Figures { figure in
            switch figure {
            case .sections: UInt64(engine.sectionCount)
            case .items: UInt64(engine.itemCount)
            case .deadNodes: UInt64(engine.deadNodeCount)
            case .members: UInt64(room.memberCount)
            case .memoryBytes: UInt64(clamping: host.accounts.total)
            // Set later, by the store.
            case .storedBytes: 0
            case .memoryLimit: UInt64(clamping: room.policy.maximumBytes)
            case .storedLimit: configuration.storage.maximumRoomDiskBytes ?? 0
            case .sectionLimit: UInt64(clamping: room.policy.maximumSections)
            case .itemLimit: UInt64(clamping: room.policy.maximumItems)
            case .memberLimit: UInt64(clamping: room.policy.maximumMembers ?? 0)
            case .recentTransactions: UInt64(clamping: recent.transactions)
            case .recentTransactionLimit: UInt64(clamping: writes.transactions?.burst ?? 0)
            case .recentLogBytes: UInt64(clamping: recent.bytes)
            case .recentLogByteLimit: UInt64(clamping: writes.bytes?.burst ?? 0)
            }
        }
    }

    private var figures: Figures<ServerFigure> {
        let (memory, turns) = (context.pots.memory.memory, TurnFigures(of: peers.map(\.counts)))
        let (limit, writes) = (configuration.maximumMemoryBytes, configuration.storage.writes)
        let recent = recentWrites
        return Figures { figure in
            switch figure {
            case .connectionBytes: UInt64(clamping: memory[.connections])
            case .queueBytes: UInt64(clamping: memory[.queues])
            case .roomBytes: UInt64(clamping: memory[.rooms])
            case .viewBytes: UInt64(clamping: memory[.views])
            case .presenceBytes: UInt64(clamping: memory[.presence])
            case .storeBytes: UInt64(clamping: memory[.store])
            case .readBytes: UInt64(clamping: memory[.reads])
            case .memoryLimit: limit == .max ? 0 : UInt64(clamping: limit)
            case .pressure: UInt64(clamping: self.memory.pressure.rawValue)
            case .connections: UInt64(clamping: context.connections.used)
            case .openRooms: UInt64(clamping: context.pots.rooms.used)
            case .turns: UInt64(clamping: turns.turns)
            case .fullTurns: UInt64(clamping: turns.fullTurns)
            case .largestTurn: UInt64(clamping: turns.largestTurn)
            case .loans: UInt64(clamping: turns.loans)
            case .holds: UInt64(clamping: turns.holds)
            case .droppedLogLines: UInt64(clamping: context.log.droppedLines)
            case .diskBytes: context.store.usedBytes
            case .diskLimit: configuration.storage.maximumDiskBytes ?? 0
            case .connectionLimit: UInt64(clamping: context.connections.limit)
            case .openRoomLimit: UInt64(clamping: context.pots.rooms.limit)
            case .recentTransactions: UInt64(clamping: recent.transactions)
            case .recentTransactionLimit: UInt64(clamping: writes.transactions?.burst ?? 0)
            case .recentLogBytes: UInt64(clamping: recent.bytes)
            case .recentLogByteLimit: UInt64(clamping: writes.bytes?.burst ?? 0)
            }
        }
    }
}
