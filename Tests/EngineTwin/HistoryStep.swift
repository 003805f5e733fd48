package import SyncModel

/// One thing that happens to a room under test.
package enum HistoryStep {
    /// A transaction arrives.
    case submit(ListTransaction, by: Identifier)
    /// The horizon advances.
    case advanceHorizon(Revision)
    /// The room goes on as it is read from its image.
    case reload
    /// The batch between two revisions is compared.
    case compare(from: Revision, to: Revision)
}

extension HistoryStep {
    /// The same step in a history without the transaction that made the revision `gone`: revisions
    /// from there on are one less.
    func without(_ gone: Revision) -> HistoryStep {
        func shifted(_ revision: Revision) -> Revision {
            revision >= gone ? revision - 1 : revision
        }
        switch self {
        case .submit(var transaction, let author):
            transaction.base = shifted(transaction.base)
            transaction.operations = transaction.operations.map { operation in
                guard case .guarded(let inner, var condition) = operation else { return operation }
                condition.revision = shifted(condition.revision)
                return .guarded(inner, by: condition)
            }
            return .submit(transaction, by: author)
        case .advanceHorizon(let revision): return .advanceHorizon(shifted(revision))
        case .reload: return self
        case .compare(let from, let to): return .compare(from: shifted(from), to: shifted(to))
        }
    }
}

extension HistoryStep: CustomStringConvertible {
    package var description: String {
        switch self {
        case .submit(let transaction, let author):
            let operations = transaction.operations.map { "    \($0.shortDescription)" }
            let all = transaction.isAllOrNothing ? ", all" : ""
            let base = transaction.hasSeenNothing ? "nothing" : "\(transaction.base)"
            let head = "\(author) at \(base)\(all):"
            return ([head] + operations).joined(separator: "\n")
        case .advanceHorizon(let revision): return "horizon \(revision)"
        case .reload: return "reload"
        case .compare(let from, let to): return "compare \(from) to \(to)"
        }
    }
}

extension ListOperation {
    var shortDescription: String {
        switch self {
        case .insert(let item, let to):
            "insert \(item.id) \(item.content.fields) flags \(item.content.flags.rawValue) \(to.text)"
        case .delete(let id): "delete \(id)"
        case .move(let id, let to): "move \(id) \(to.text)"
        case .update(let id, let patch): "update \(id) \(patch)"
        case .increment(let id, let field, let by): "increment \(id).\(field) by \(by)"
        case .insertSection(let section, let to): "insertSection \(section.id) \(to.text)"
        case .deleteSection(let id): "deleteSection \(id)"
        case .moveSection(let id, let to): "moveSection \(id) \(to.text)"
        case .updateSection(let id, let patch): "updateSection \(id) \(patch)"
        case .guarded(let inner, let condition): "\(inner.shortDescription) \(condition.text)"
        }
    }
}

extension Guard {
    fileprivate var text: String {
        var words = ["since \(revision)"]
        if place { words.append("place") }
        if content { words.append("content") }
        return (words + fields.map(\.text)).joined(separator: " ")
    }
}

extension Placement {
    fileprivate var text: String {
        var words: [String] = []
        if let section { words.append("in \(section)") }
        switch position {
        case .end: words.append("at the end")
        case .after(let id): words.append("after \(id)")
        case .before(let id): words.append("before \(id)")
        case .index(let number): words.append("at \(number)")
        }
        if !trail.isEmpty { words.append("trail \(trail)") }
        return words.joined(separator: " ")
    }
}

extension Twin {
    /// Plays a step of a history, whatever comes of it.
    package func play(_ step: HistoryStep) {
        switch step {
        case .submit(let transaction, let author): _ = try? submit(transaction, by: author)
        case .advanceHorizon(let revision): advanceHorizon(to: revision)
        case .reload, .compare: break
        }
    }
}
