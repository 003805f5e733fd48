import SyncEngine
import SyncModel
import SyncRoom
import SyncWire

/// Makes the answer to a request for items, piece by piece.
///
/// Three things end an answer before the end of the room: the request's limit, the size of a part,
/// and the work. So a client asks on where the last answer has ended, and no single request takes
/// much.
final class ItemReading {
    private var walk: ItemWalk
    private let limit: Int
    private let partBytes: Int
    private var answer: Items
    private var sections: [Int: Identifier] = [:]
    private var byteCount = 0

    /// The most steps of ``ItemWalk`` after which an answer ends, see `limits.md`. They take a loop
    /// some 10 ms.
    static let mostSteps = 1 << 16
    /// What an item takes in an answer beside its content and its id.
    private static let itemBytes = 32

    enum Progress {
        case more
        case done(Items)
        /// The room has forgotten the revision.
        case forgotten
    }

    /// - Parameter origin: the room and epoch of the revision.
    init(_ query: ItemQuery, at revision: Revision, of origin: Origin?, partBytes: Int) {
        walk = ItemWalk(query, at: revision)
        limit = query.limit
        self.partBytes = partBytes
        answer = Items(request: 0, revision: revision, origin: origin)
    }

    /// The steps of a short answer: all its items, if their contents are short.
    var leastSteps: Int { 4 * limit }

    /// How much memory the answer may take after so many more steps, twice: as items, and as their
    /// frame.
    func bytes(afterSteps steps: Int, in engine: Engine) -> Int {
        let most = min(partBytes + Engine.maximumContentBytes, engine.byteCount)
        return 2 * min(byteCount + engine.chunkBytes(ofSteps: steps), most)
    }

    /// Reads more.
    ///
    /// - Throws: a refusal if the query names what the room does not have.
    func read(_ engine: Engine, stepLimit: Int) throws(RoomRefusal) -> Progress {
        var limitedSteps = min(stepLimit, ItemReading.mostSteps)
        let left = ItemReading.mostSteps - walk.stepsTaken
        if left > 0 { limitedSteps = min(limitedSteps, left) }
        let progress: ItemWalk.Progress
        do throws(ItemWalk.Fault) {
            progress = try walk.read(engine, stepLimit: limitedSteps) {
                answer.items.count >= limit || byteCount >= partBytes
            } visit: {
                add($0)
            }
        } catch {
            throw RoomRefusal(error, at: walk.revision)
        }
        switch progress {
        case .forgotten: return .forgotten
        case .atEnd: return .done(finish())
        case .full: return .done(finish(behind: walk.last))
        case .more:
            // An answer says where to go on, so it does not end before there is such a place.
            guard walk.stepsTaken >= ItemReading.mostSteps, let last = walk.last else {
                return .more
            }
            return .done(finish(behind: last))
        }
    }

    /// The whole answer, in an engine that has the revision.
    func readAll(_ engine: Engine) throws(RoomRefusal) -> Items {
        while true {
            switch try read(engine, stepLimit: .max) {
            case .more: continue
            case .done(let items): return items
            case .forgotten:
                throw RoomRefusal(
                    code: .storeCorrupt, text: "the log has forgotten revision \(walk.revision)")
            }
        }
    }

    private func add(_ found: ItemWalk.Found) {
        if sections.updateValue(found.section, forKey: found.path.section) == nil {
            byteCount += ItemReading.itemBytes + found.section.text.utf8.count
        }
        byteCount +=
            ItemReading.itemBytes + found.item.id.text.utf8.count + found.item.content.bytes.count
        answer.items.append(Stage.PlacedItem(path: found.path, item: found.item))
    }

    private func finish(behind last: Identifier? = nil) -> Items {
        answer.next = last
        answer.sections = sections.sorted { $0.key < $1.key }
            .map { Items.SectionName(index: $0.key, id: $0.value) }
        return answer
    }
}

extension ItemQuery {
    /// About how much memory it takes.
    var memoryBytes: Int {
        guard case .these(let ids) = part else { return 1024 }
        return ids.reduce(1024) { $0 + $1.text.utf8.count + 48 }
    }
}

extension RoomRefusal {
    /// - Parameter revision: the revision that was read.
    fileprivate init(_ fault: ItemWalk.Fault, at revision: Revision) {
        let text =
            switch fault {
            case .noSection: "the room has no such section at revision \(revision)"
            case .noItem: "the room has no such item to go on behind at revision \(revision)"
            case .otherSection:
                "the item to go on behind is not in the section at revision \(revision)"
            }
        self.init(code: .badContent, text: text)
    }
}
