import SyncEngine
import SyncRoom
import SyncStore
import SyncWire

// Requests about rooms as wholes.
extension ServerLoop {
    func deleteRoom(_ name: RoomName, for key: FeedKey) {
        let answer: (RoomRefusal?) -> Void = { [self] refusal in
            if let refusal {
                fail(key, refusal)
            } else {
                finish(key, with: .done(Done(request: key.request)))
            }
        }
        if let host = hosts[name] { return host.delete(then: answer) }
        guard let host = makeDeletingHost(name) else { return answer(.unavailable) }
        host.whenDeleted.append(answer)
        host.beginDeleting()
    }

    // MARK: Figures

    func readStats(_ key: FeedKey, of name: RoomName) {
        withRoom(name, for: key.holder) { [self] opening in
            guard case .success(let host) = opening, let room = host.room else {
                if case .failure(let refusal) = opening { fail(key, refusal) }
                return
            }
            let engine = room.state.engine
            var figures = Stats.Figures()
            figures.revision = room.durableRevision
            figures.horizon = engine.horizon
            figures.snapshotRevision = host.snapshotRevision
            figures.sections = UInt64(engine.sectionCount)
            figures.items = UInt64(engine.itemCount)
            figures.deadNodes = UInt64(engine.deadNodeCount)
            figures.members = UInt64(room.memberCount)
            figures.memoryBytes = UInt64(host.accounts.total)
            figures.memoryLimit = UInt64(clamping: configuration.room.maximumBytes)
            figures.storedLimit = configuration.maximumRoomDiskBytes ?? 0
            let stats = Stats(
                request: key.request, room: name, figures: figures, identity: room.identity.told,
                server: serverFigures)
            let post = peers[index]
            let store = context.store
            store.summary(of: name.text) { result in
                let summary = (try? result.get()).flatMap { $0 }
                Self.findOldestRevision(of: name, in: store) { oldest in
                    var stats = stats
                    stats.figures.storedBytes =
                        (summary?.logBytes ?? 0) + (summary?.snapshotBytes ?? 0)
                    stats.figures.oldestRevision = oldest
                    let answer = stats
                    post.post { $0.finish(key, with: .stats(answer)) }
                }
            }
        }
    }

    /// What the server holds, and what its turns came to.
    private var serverFigures: ServerFigures {
        func count(_ number: Int) -> UInt64 { UInt64(clamping: number) }
        let (memory, turns) = (context.pots.memory.memory, context.turns.figures)
        var figures = ServerFigures()
        figures.connectionBytes = count(memory[.connections])
        figures.queueBytes = count(memory[.queues])
        figures.roomBytes = count(memory[.rooms])
        figures.viewBytes = count(memory[.views])
        figures.presenceBytes = count(memory[.presence])
        figures.storeBytes = count(memory[.store])
        figures.readBytes = count(memory[.reads])
        let limit = configuration.maximumMemoryBytes
        figures.memoryLimit = limit == .max ? 0 : count(limit)
        figures.pressure = count(pressure.rawValue)
        figures.connections = count(context.connections.held)
        figures.openRooms = count(context.pots.rooms.held)
        figures.turns = count(turns.turns)
        figures.fullTurns = count(turns.fullTurns)
        figures.largestTurn = count(turns.largestTurn)
        figures.loans = count(turns.loans)
        figures.holds = count(turns.holds)
        figures.droppedLogLines = count(context.log.droppedLines)
        figures.diskBytes = context.store.usedBytes
        figures.diskLimit = configuration.maximumDiskBytes ?? 0
        return figures
    }

    /// Finds from which revision on a room's past can be read.
    private static func findOldestRevision(
        of name: RoomName, in store: any Store, _ completion: @escaping @Sendable (Revision) -> Void
    ) {
        store.readSnapshot(room: name.text, atOrBelowRevision: 0) { result in
            guard case .failure(.compacted(_, let firstSequence)) = result, firstSequence > 0 else {
                return completion(0)
            }
            store.readLog(room: name.text, after: firstSequence - 1, limitBytes: 0) { result in
                let first = (try? result.get())?.records.first
                completion(first.map { $0.firstRevision - 1 } ?? 0)
            }
        }
    }
}
