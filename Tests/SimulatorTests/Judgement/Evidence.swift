import LayoutTwin
import SyncClient
import SyncEngine
import SyncSim

/// All that clients said and heard in a run, whatever became of them afterwards.
///
/// What can be judged at once is: that nothing is shown which the disk may still lose, and that no two
/// clients hold different rooms at one revision. The rest is for the ``Judge``.
final class Evidence {
    /// One transaction, wherever and how often it is sent.
    struct Name: Hashable, CustomStringConvertible {
        var room: String
        var client: Identifier
        var counter: UInt64

        var description: String { "\(client) \(counter) in \(room)" }
    }

    private(set) var violations: [Violation] = []
    private(set) var submitted: [Name: Transaction] = [:]
    private(set) var answers: [Name: Answer] = [:]
    /// By room and revision, what clients held.
    private(set) var states: [String: [Revision: Snapshot]] = [:]
    private(set) var histories: [HistoryAnswer] = []
    /// What views began with, on each connection.
    private(set) var firstScreens: [FirstScreen] = []
    /// Rooms in which somebody has dragged something.
    private var draggedRooms: Set<String> = []
    /// What happened, for people.
    private(set) var timeline: [String] = []
    private(set) var batchCount = 0
    /// How often views were told something.
    private(set) var updateCount = 0
    private(set) var interruptions: [String: Int] = [:]
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
        var room: String
        var revision: Revision
        var look: Look
        var held: WholeScreen
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
    private static let maximumViolations = 20

    init(_ simulation: Simulation, _ disk: SimulatedDisk) {
        self.simulation = simulation
        self.disk = disk
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

    func didSubmit(_ name: Name, _ transaction: Transaction) {
        submitted[name] = transaction
    }

    /// Whether a client is known to a room as one who writes.
    func hasWritten(_ client: Identifier, in room: String) -> Bool {
        answers.keys.contains { $0.client == client && $0.room == room }
    }

    func didAnswer(_ name: Name, _ answer: Answer) {
        if let first = answers[name], first != answer {
            accuse(.appliedTwice, "\(name) was answered \(first), then \(answer)")
        }
        answers[name] = answer
        if case .committed(let commit) = answer {
            check(commit.revision, in: name.room, "\(name) was acknowledged")
        }
    }

    func didAnswer(_ history: HistoryAnswer) {
        histories.append(history)
    }

    func didBatch() {
        batchCount += 1
    }

    func wasInterrupted(by code: String) {
        interruptions[code, default: 0] += 1
    }

    func didDrag(_ event: DragEvent) {
        drags[event, default: 0] += 1
    }

    func didSuffer(_ mishap: Mishap) {
        suffered[mishap, default: 0] += 1
    }

    /// Somebody is shown a part of a room at a revision.
    func didView(_ revision: Revision, in room: String, _ who: String) {
        updateCount += 1
        check(revision, in: room, "\(who) saw")
    }

    /// Somebody begins with a screen. Where things are dragged it is not the room alone that makes it.
    func didShow(
        _ screen: (look: Look, held: WholeScreen), at revision: Revision, in room: String,
        _ who: String
    ) {
        if draggedRooms.contains(room) { return }
        firstScreens.append(
            FirstScreen(
                room: room, revision: revision, look: screen.look, held: screen.held, who: who))
    }

    /// Something is to be dragged in a room.
    func willDrag(in room: String) {
        draggedRooms.insert(room)
    }

    /// What those hold who hold a room at a revision.
    func state(of room: String, at revision: Revision) -> Snapshot? { states[room]?[revision] }

    /// Somebody holds a room at a revision.
    func didHold(_ state: Snapshot, in room: String, _ who: String) {
        check(state.revision, in: room, "\(who) was shown")
        guard let held = states[room]?[state.revision] else {
            states[room, default: [:]][state.revision] = state
            return
        }
        if held != state {
            accuse(
                .differs,
                "\(who) holds another \(room) at revision \(state.revision) than somebody else")
        }
    }

    private func check(_ revision: Revision, in room: String, _ what: String) {
        let durable = disk.durable[room].revision
        if revision > durable {
            accuse(.notDurable, "\(what) as revision \(revision), and \(durable) is on disk")
        }
    }
}
