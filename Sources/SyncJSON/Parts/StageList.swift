import SyncModel

/// The lists of a stage, in the order in which they are written.
enum StageList: UInt8, CaseIterable, Sendable {
    case reloads = 1
    case changedSections, insertSections, moveSections, deletes, inserts, moves, deleteSections

    /// Its key.
    var name: StaticString {
        switch self {
        case .reloads: "reloads"
        case .changedSections: "changedSections"
        case .insertSections: "insertSections"
        case .moveSections: "moveSections"
        case .deletes: "deletes"
        case .inserts: "inserts"
        case .moves: "moves"
        case .deleteSections: "deleteSections"
        }
    }

    func isEmpty(in stage: Stage) -> Bool {
        switch self {
        case .reloads: stage.reloads.isEmpty
        case .changedSections: stage.changedSections.isEmpty
        case .insertSections: stage.insertSections.isEmpty
        case .moveSections: stage.moveSections.isEmpty
        case .deletes: stage.deletes.isEmpty
        case .inserts: stage.inserts.isEmpty
        case .moves: stage.moves.isEmpty
        case .deleteSections: stage.deleteSections.isEmpty
        }
    }

    /// The last of the lists that a stage has.
    static func last(in stage: Stage) -> StageList? {
        allCases.last { !$0.isEmpty(in: stage) }
    }
}
