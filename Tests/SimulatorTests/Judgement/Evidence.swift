import LayoutTwin
import SyncClient
import SyncModel
import SyncSim
import SyncWire

/// Records everything that clients sent and received in a run, whatever happens to them later.
///
/// It checks at once that no client sees a revision which the disk may still lose, and that no two
/// clients have different rooms at one revision. The ``Judge`` checks the rest.
final class Evidence {
    /// Identifies a transaction, however often it is sent.
    struct Name: Hashable, CustomStringConvertible {
        var room: RoomName
        var client: Identifier
        var counter: UInt64

        var description: String { "\(client) \(counter) in \(room)" }
    }

    /// A transaction, and what it was based on.
    struct Submitted {
        var transaction: ListTransaction
        /// The origin of its base.
        var origin: Origin?
        fileprivate var wasCurrent = true
        fileprivate var lossCount = 0
        /// How often its author had been notified before that the room had changed, or received the
        /// content of the changed room.
        fileprivate var changeCount = 0
    }

    /// The answer that a client received to a transaction.
    struct Heard {
        var answer: Answer
        /// The room that the client was in, as the server had last identified it.
        var identity: RoomIdentity?
    }

    /// The revision that a client had, with the epoch that wrote it.
    struct Held: Hashable {
        var room: RoomName
        var revision: Revision
        /// `nil` at 0.
        var origin: Origin?
    }

    private(set) var violations: [Violation] = []
    private(set) var submitted: [Name: Submitted] = [:]
    private(set) var answers: [Name: Heard] = [:]
    private(set) var states: [Held: Snapshot] = [:]
    private(set) var histories: [HistoryAnswer] = []
    /// The first screen of each view on each connection.
    private(set) var firstScreens: [FirstScreen] = []
    /// Rooms in which an item has been dragged.
    private var draggedRooms: Set<RoomName> = []
    private var openDeletions: [RoomName: Int] = [:]
    /// What happened, for people.
    private(set) var timeline: [String] = []
    private(set) var batchCount = 0
    /// The number of view updates.
    private(set) var updateCount = 0
    private(set) var interruptions: [String: Int] = [:]
    /// The number of evicted authors.
    private(set) var evictionCount = 0
    /// The number of transactions whose authors received `forgotten`.
    var forgottenCount: Int {
        answers.values.count {
            guard case .rejected(let rejection) = $0.answer else { return false }
            return rejection.code == .forgotten
        }
    }
    /// The number of answers that report a changed guard, as a loss or as a conflict.
    var changedGuardCounts: (losses: Int, conflicts: Int) {
        answers.values.reduce(into: (0, 0)) { counts, heard in
            switch heard.answer {
            case .committed(let commit) where commit.superseded.contains { $0.reason == .changed }:
                counts.losses += 1
            case .rejected(let rejection) where rejection.code == .conflict: counts.conflicts += 1
            default: break
            }
        }
    }
    /// The number of drag events of each kind.
    private(set) var drags: [DragEvent: Int] = [:]

    /// The number of events of each kind that come from the rights of users.
    private(set) var acts: [AccessAct: Int] = [:]
    /// Knows what users may do, if the server asks for tokens.
    weak var access: AccessObserver?

    private var suffered: [Mishap: Int] = [:]
    /// The number of mishaps of each kind.
    var mishaps: [Mishap: Int] {
        var mishaps = suffered
        mishaps[.entryLost] = disk.lostCount
        mishaps[.roomRefused] = disk.refusedCount
        mishaps[.syncFailed] = disk.failedSyncCount
        mishaps[.readFailed] = disk.failedReadCount
        return mishaps
    }

    /// The screen of a view after the first update on a connection.
    struct FirstScreen {
        var held: Held
        var look: Look
        var screen: WholeScreen
        var who: String
    }

    /// What happens to drags.
    enum DragEvent: String {
        case began
        /// It ended with a move.
        case dropped
        case cancelled
        case refused
        /// It ended although its client did not end it.
        case lost
        /// Other members saw it at the end.
        case shown
    }

    private let simulation: Simulation
    private let disk: SimulatedDisk
    let lines: RoomLines
    private let rooms: [RoomName]
    private static let maximumViolations = 20

    init(_ simulation: Simulation, _ disk: SimulatedDisk, rooms: [RoomName] = []) {
        self.rooms = rooms
        self.simulation = simulation
        self.disk = disk
        lines = RoomLines(disk)
    }

    func note(_ line: String) {
        timeline.append("\(simulation.nowMicroseconds) µs: \(line)")
    }

    func accuse(_ kind: Violation.Kind, _ text: String) {
        note("\(kind.rawValue): \(text)")
        guard violations.count < Evidence.maximumViolations else { return }
        violations.append(Violation(kind: kind, text: text))
    }

    // MARK: What clients send and receive

    /// - Parameters:
    ///   - held: the author's revision; `origin` is its origin.
    ///   - changeCount: how often its author was notified that the room had changed, or received
    ///     the content of the changed room.
    func didSubmit(
        _ name: Name, _ transaction: ListTransaction, holding held: Revision, of origin: Origin?,
        changeCount: Int
    ) {
        submitted[name] = Submitted(
            transaction: transaction, origin: origin,
            wasCurrent: lines.goesOn(from: held, of: origin, in: name.room),
            lossCount: disk.durable.lossCount(of: name.room), changeCount: changeCount)
    }

    /// Whether a room knows a client as an author.
    func hasWritten(_ client: Identifier, in room: RoomName) -> Bool {
        answers.keys.contains { $0.client == client && $0.room == room }
    }

    /// - Parameter identity: the room that its author is in, as the server identified it.
    func didAnswer(
        _ name: Name, _ answer: Answer, in identity: RoomIdentity?, changeCount: Int
    ) {
        if let first = answers[name]?.answer, first != answer {
            accuse(.appliedTwice, "\(name) was answered \(first), then \(answer)")
        }
        answers[name] = Heard(answer: answer, identity: identity)
        switch answer {
        case .committed(let commit):
            check(
                commit.revision, identity?.origin(of: commit.revision), in: name.room,
                "\(name) was acknowledged")
        case .rejected(let rejection) where rejection.code == .roomChanged:
            checkChange(name, in: identity, changeCount)
        default: break
        }
    }

    /// Records an answer to a program that is not told which room it is of.
    func didAnswer(_ name: Name, _ answer: Answer) {
        if let first = answers[name]?.answer, first != answer {
            accuse(.appliedTwice, "\(name) was answered \(first), then \(answer)")
        }
        answers[name] = Heard(answer: answer, identity: nil)
        guard case .committed(let commit) = answer else { return }
        if !lines.all(of: name.room).contains(where: { commit.revision <= $0.durable.revision }) {
            accuse(.notDurable, "\(name) was acknowledged as \(commit.revision)")
        }
    }

    /// Checks that no transaction is refused for a change of the room that did not happen.
    ///
    /// The room that its author knew may be gone, and an earlier one back with a copy of the store.
    /// Then the transaction was made for another room than the one that refuses it.
    private func checkChange(_ name: Name, in identity: RoomIdentity?, _ changeCount: Int) {
        guard let submitted = submitted[name] else { return }
        if let identity, let origin = submitted.origin, origin.room != identity.id { return }
        let isJust =
            !submitted.wasCurrent || changeCount > submitted.changeCount
            || disk.durable.lossCount(of: name.room) > submitted.lossCount
            || !lines.goesOn(
                from: submitted.transaction.base, of: submitted.origin, in: name.room)
        if !isJust {
            accuse(.wrongHistory, "\(name) is refused, and its room is what it was made for")
        }
    }

    func didAnswer(_ history: HistoryAnswer) {
        histories.append(history)
    }

    /// Records that a client was notified of a change of its room. At revision 0 it has seen
    /// nothing that could have changed.
    ///
    /// - Parameter lossCount: how often the room had lost something when the client received its
    ///   state.
    func didChange(
        from revision: Revision, _ origin: Origin?, _ lossCount: Int, in room: RoomName,
        _ who: String
    ) {
        guard
            revision == 0
                || lines.goesOn(from: revision, of: origin, in: room)
                    && self.lossCount(of: room) == lossCount
        else { return }
        accuse(.wrongHistory, "\(who) is told that \(room) has changed, which has not")
    }

    /// Records that a client asks to delete a room; it may never receive the answer.
    func willDelete(_ room: RoomName) {
        openDeletions[room, default: 0] += 1
    }

    func didDelete(_ room: RoomName) {
        openDeletions[room, default: 0] -= 1
    }

    /// Whether a client has asked to delete a room and received no answer.
    func hasOpenDeletion(of room: RoomName) -> Bool { openDeletions[room, default: 0] > 0 }

    /// How often a room has lost something durable.
    func lossCount(of room: RoomName) -> Int { disk.durable.lossCount(of: room) }

    func didBatch() {
        batchCount += 1
    }

    func wasInterrupted(by code: String) {
        interruptions[code, default: 0] += 1
    }

    func didEvict(_ count: Int) {
        evictionCount += count
    }

    func didDrag(_ event: DragEvent) {
        drags[event, default: 0] += 1
    }

    func didAct(_ act: AccessAct) {
        acts[act, default: 0] += 1
    }

    func didSuffer(_ mishap: Mishap) {
        suffered[mishap, default: 0] += 1
    }

    /// Records that a client sees a part of a room at a revision.
    func didView(_ revision: Revision, _ origin: Origin?, in room: RoomName, _ who: String) {
        updateCount += 1
        check(revision, origin, in: room, "\(who) saw")
    }

    /// Records the first screen of a view. In a room with drags the screen depends on more than the
    /// room, so it is not compared.
    func didShow(
        _ screen: (look: Look, held: WholeScreen), at revision: Revision, _ origin: Origin?,
        in room: RoomName, _ who: String
    ) {
        if draggedRooms.contains(room) { return }
        firstScreens.append(
            FirstScreen(
                held: held(revision, origin, in: room), look: screen.look, screen: screen.held,
                who: who))
    }

    /// Records that an item of a room is going to be dragged.
    func willDrag(in room: RoomName) {
        draggedRooms.insert(room)
    }

    /// The state of a room at a revision, as clients have it.
    func state(of room: RoomName, at revision: Revision, _ origin: Origin?) -> Snapshot? {
        states[held(revision, origin, in: room)]
    }

    /// Records a client's state of a room.
    func didHold(_ state: Snapshot, _ origin: Origin?, in room: RoomName, _ who: String) {
        check(state.revision, origin, in: room, "\(who) was shown")
        let key = held(state.revision, origin, in: room)
        guard let held = states[key] else {
            states[key] = state
            return
        }
        if held != state {
            accuse(
                .differs,
                "\(who) holds another \(room) at revision \(state.revision) than somebody else")
        }
    }

    /// The transactions of all rooms that are or were on disk.
    func durableTransactions() -> Set<Name> {
        var found: Set<Name> = []
        for room in rooms {
            for line in lines.all(of: room) {
                var reader = LogReader()
                for record in line.durable.records {
                    for entry in (try? reader.read(record)) ?? [] {
                        guard case .commit(let author, let counter, _) = entry else { continue }
                        found.insert(Name(room: room, client: author.client, counter: counter))
                    }
                }
            }
        }
        return found
    }

    private func held(_ revision: Revision, _ origin: Origin?, in room: RoomName) -> Held {
        Held(
            room: room, revision: revision, origin: lines.writer(of: revision, origin, in: room))
    }

    private func check(
        _ revision: Revision, _ origin: Origin?, in room: RoomName, _ what: String
    ) {
        guard !lines.include(revision, of: origin, in: room) else { return }
        let durable = lines.all(of: room).map { "\($0.durable.revision)" }.joined(separator: ", ")
        accuse(
            .notDurable,
            "\(what) as revision \(revision) of \(origin.map { "\($0.epoch)" } ?? "nothing"), and"
                + " \(durable) is on disk")
    }
}
