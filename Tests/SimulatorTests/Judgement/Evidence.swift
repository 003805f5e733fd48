import LayoutTwin
import SyncClient
import SyncModel
import SyncSim
import SyncWire

/// All that clients said and heard in a run, whatever became of them afterwards.
///
/// What can be judged at once is: that nothing is shown which the disk may still lose, and that no
/// two clients hold different rooms at one revision. The rest is for the ``Judge``.
final class Evidence {
    /// One transaction, wherever and how often it is sent.
    struct Name: Hashable, CustomStringConvertible {
        var room: String
        var client: Identifier
        var counter: UInt64

        var description: String { "\(client) \(counter) in \(room)" }
    }

    /// A transaction, and what it was made for.
    struct Submitted {
        var transaction: ListTransaction
        /// What its base is of.
        var origin: Origin?
        fileprivate var wasCurrent = true
        fileprivate var lossCount = 0
        /// How often its author was told before that the room had changed.
        fileprivate var changeCount = 0
    }

    /// What a client heard of a transaction.
    struct Heard {
        var answer: Answer
        /// The room that it was in then, as the server had told it.
        var identity: RoomIdentity?
    }

    /// What a client held: a revision, and what has written it.
    struct Held: Hashable {
        var room: String
        var revision: Revision
        /// `nil` at 0.
        var origin: Origin?
    }

    private(set) var violations: [Violation] = []
    private(set) var submitted: [Name: Submitted] = [:]
    private(set) var answers: [Name: Heard] = [:]
    private(set) var states: [Held: Snapshot] = [:]
    private(set) var histories: [HistoryAnswer] = []
    /// What views began with, on each connection.
    private(set) var firstScreens: [FirstScreen] = []
    /// Rooms in which somebody has dragged something.
    private var draggedRooms: Set<String> = []
    private var openDeletions: [String: Int] = [:]
    /// What happened, for people.
    private(set) var timeline: [String] = []
    private(set) var batchCount = 0
    /// How often views were told something.
    private(set) var updateCount = 0
    private(set) var interruptions: [String: Int] = [:]
    /// How many authors were evicted.
    private(set) var evictionCount = 0
    /// How many transactions their authors were told to be forgotten.
    var forgottenCount: Int {
        answers.values.count {
            guard case .rejected(let rejection) = $0.answer else { return false }
            return rejection.code == .forgotten
        }
    }
    /// How often something became of a drag.
    private(set) var drags: [DragEvent: Int] = [:]

    private var suffered: [Mishap: Int] = [:]
    /// How often something went wrong.
    var mishaps: [Mishap: Int] {
        var mishaps = suffered
        mishaps[.entryLost] = disk.lostCount
        mishaps[.roomRefused] = disk.refusedCount
        mishaps[.syncFailed] = disk.failedSyncCount
        mishaps[.readFailed] = disk.failedReadCount
        return mishaps
    }

    /// All that a view shows with the first update of a connection.
    struct FirstScreen {
        var held: Held
        var look: Look
        var screen: WholeScreen
        var who: String
    }

    /// What becomes of drags.
    enum DragEvent: String {
        case began
        /// It was ended with a move.
        case dropped
        case cancelled
        case refused
        /// It was over though nobody had ended it.
        case lost
        /// Others were to see it in the end.
        case shown
    }

    private let simulation: Simulation
    private let disk: SimulatedDisk
    let lines: RoomLines
    private static let maximumViolations = 20

    init(_ simulation: Simulation, _ disk: SimulatedDisk) {
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

    // MARK: What clients say and hear

    /// - Parameters:
    ///   - held: the revision that its author holds, which `origin` is of.
    ///   - changeCount: how often its author was told that the room had changed.
    func didSubmit(
        _ name: Name, _ transaction: ListTransaction, holding held: Revision, of origin: Origin?,
        changeCount: Int
    ) {
        submitted[name] = Submitted(
            transaction: transaction, origin: origin,
            wasCurrent: lines.goesOn(from: held, of: origin, in: name.room),
            lossCount: disk.durable.lossCount(of: name.room), changeCount: changeCount)
    }

    /// Whether a client is known to a room as one who writes.
    func hasWritten(_ client: Identifier, in room: String) -> Bool {
        answers.keys.contains { $0.client == client && $0.room == room }
    }

    /// - Parameter identity: the room that its author is in, as it was told.
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

    /// Nobody's work is refused for a change of the room that was none.
    ///
    /// The room that its author was told of may be gone, and the one before it back with a copy of
    /// the store: then its work was made for another room than the one that refuses it.
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

    /// Somebody is told that a room is not what it held.
    ///
    /// - Parameter lossCount: how often the room had lost something when that was held.
    func didChange(
        from revision: Revision, _ origin: Origin?, _ lossCount: Int, in room: String,
        _ who: String
    ) {
        guard lines.goesOn(from: revision, of: origin, in: room),
            self.lossCount(of: room) == lossCount
        else { return }
        accuse(.wrongHistory, "\(who) is told that \(room) has changed, which has not")
    }

    /// Somebody wants to delete a room, and may not hear whether that was done.
    func willDelete(_ room: String) {
        openDeletions[room, default: 0] += 1
    }

    func didDelete(_ room: String) {
        openDeletions[room, default: 0] -= 1
    }

    /// Whether somebody has wanted to delete a room who never heard that it was done.
    func hasOpenDeletion(of room: String) -> Bool { openDeletions[room, default: 0] > 0 }

    /// How often a room has lost something that was durable.
    func lossCount(of room: String) -> Int { disk.durable.lossCount(of: room) }

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

    func didSuffer(_ mishap: Mishap) {
        suffered[mishap, default: 0] += 1
    }

    /// Somebody is shown a part of a room at a revision.
    func didView(_ revision: Revision, _ origin: Origin?, in room: String, _ who: String) {
        updateCount += 1
        check(revision, origin, in: room, "\(who) saw")
    }

    /// Somebody begins with a screen. Where things are dragged it is not the room alone that makes
    /// it.
    func didShow(
        _ screen: (look: Look, held: WholeScreen), at revision: Revision, _ origin: Origin?,
        in room: String, _ who: String
    ) {
        if draggedRooms.contains(room) { return }
        firstScreens.append(
            FirstScreen(
                held: held(revision, origin, in: room), look: screen.look, screen: screen.held,
                who: who))
    }

    /// Something is to be dragged in a room.
    func willDrag(in room: String) {
        draggedRooms.insert(room)
    }

    /// What those hold who hold a room at a revision.
    func state(of room: String, at revision: Revision, _ origin: Origin?) -> Snapshot? {
        states[held(revision, origin, in: room)]
    }

    /// Somebody holds a room at a revision.
    func didHold(_ state: Snapshot, _ origin: Origin?, in room: String, _ who: String) {
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

    private func held(_ revision: Revision, _ origin: Origin?, in room: String) -> Held {
        Held(
            room: room, revision: revision, origin: lines.writer(of: revision, origin, in: room))
    }

    private func check(
        _ revision: Revision, _ origin: Origin?, in room: String, _ what: String
    ) {
        guard !lines.include(revision, of: origin, in: room) else { return }
        let durable = lines.all(of: room).map { "\($0.durable.revision)" }.joined(separator: ", ")
        accuse(
            .notDurable,
            "\(what) as revision \(revision) of \(origin.map { "\($0.epoch)" } ?? "nothing"), and"
                + " \(durable) is on disk")
    }
}
