package import SyncModel

/// Items and sections have names of their own.
enum ThingKind {
    case item
    case section
}

/// One thing at one place.
struct Node {
    /// Counts the nodes as they are made, from 1; 0 stands for the start of a sequence.
    let serial: Int
    /// The incarnation it belongs to, by its number.
    let life: Int
    let born: Revision
    /// `nil` if a revival made the node.
    let author: Int?
    /// The serial of the node it was put after.
    let origin: Int
    var died: Revision?

    func isAlive(at revision: Revision) -> Bool {
        born <= revision && died.map { $0 > revision } ?? true
    }
}

/// An incarnation: an id from its insertion to the insertion of the same id after a deletion.
struct Life {
    let kind: ThingKind
    let id: Identifier
    let born: Revision
    let author: Int?
    var item = ItemContent()
    var section = SectionContent()
    /// The last deletion, if it was not taken back.
    var deletion: Deletion?
    /// Its content after each write, first to last. A deletion keeps the content.
    var versions: [Version] = []

    var content: Content { Content(item: item, section: section) }

    /// What a thing holds. An item leaves the part of a section empty, and the other way round.
    struct Content: Equatable {
        var item = ItemContent()
        var section = SectionContent()

        func value(of field: Identifier) -> Value? {
            (item.fields + section.fields).first { $0.name == field }?.value
        }
    }

    struct Version {
        let revision: Revision
        let author: Int?
        let content: Content
    }

    struct Deletion {
        let revision: Revision
        var author: Int
        /// Whether a `deleteSection` deleted it, and no delete named it since.
        var byDeleteSection: Bool
    }
}

/// Which content was written when, compared by id.
package struct Writes {
    var items: [(revision: Revision, id: Identifier)] = []
    var sections: [(revision: Revision, id: Identifier)] = []

    /// The items written after `from`, up to `to`.
    package func items(from: Revision, to: Revision) -> Set<Identifier> {
        Set(items.filter { $0.revision > from && $0.revision <= to }.map(\.id))
    }

    /// The sections written after `from`, up to `to`.
    package func sections(from: Revision, to: Revision) -> Set<Identifier> {
        Set(sections.filter { $0.revision > from && $0.revision <= to }.map(\.id))
    }
}

/// The room at one revision, with the incarnation of each thing and the serial of the node it
/// stands in.
package struct Moment {
    package var snapshot: Snapshot
    package var sectionLives: [Int] = []
    package var itemLives: [[Int]] = []
    package var sectionNodes: [Int] = []
    package var itemNodes: [[Int]] = []
}

/// All that the twin knows of a room: sequences of nodes, dead and alive.
struct TwinRoom {
    /// The key of the sequence of section nodes; the others are keyed by their section's life.
    static let top = -1

    var revision: Revision = 0
    var horizon: Revision = 0
    var lives: [Life] = []
    var sequences: [Int: [Node]] = [TwinRoom.top: []]
    var lastSerial = 0
    var writes = Writes()
    private var authors: [Identifier: Int] = [:]
    private var itemLives: [Identifier: [Int]] = [:]
    private var sectionLives: [Identifier: [Int]] = [:]

    /// A new room, with the section `main`.
    init() {
        let life = addLife(Life(kind: .section, id: TwinRoom.main, born: 0, author: nil))
        add(life: life, author: nil, origin: 0, born: 0, to: TwinRoom.top, at: 0)
    }

    static let main: Identifier = "main"

    // MARK: Lives

    /// A number for a client, the same each time.
    mutating func number(of author: Identifier) -> Int {
        if let number = authors[author] { return number }
        authors[author] = authors.count
        return authors.count - 1
    }

    mutating func addLife(_ life: Life) -> Int {
        lives.append(life)
        let number = lives.count - 1
        switch life.kind {
        case .item: itemLives[life.id, default: []].append(number)
        case .section:
            sectionLives[life.id, default: []].append(number)
            sequences[number] = []
        }
        keepVersion(ofLife: number, in: life.born, by: life.author)
        return number
    }

    /// Remembers the content that a write has left.
    mutating func keepVersion(ofLife number: Int, in revision: Revision, by author: Int?) {
        let content = lives[number].content
        lives[number].versions.append(
            Life.Version(revision: revision, author: author, content: content))
    }

    /// The incarnations of an id that still have nodes, first to last.
    func knownLives(_ kind: ThingKind, _ id: Identifier) -> [Int] {
        let all = (kind == .item ? itemLives[id] : sectionLives[id]) ?? []
        return all.filter { life in lives[life].deletion.map { $0.revision > horizon } ?? true }
    }

    func knownNames(of kind: ThingKind) -> [Identifier] {
        let all = kind == .item ? itemLives : sectionLives
        return all.keys.filter { !knownLives(kind, $0).isEmpty }.sorted()
    }

    // MARK: Nodes

    /// Where a node is: the key of its sequence and its index in it.
    struct Spot {
        let sequence: Int
        let index: Int
        let node: Node
    }

    /// All nodes of some lives.
    func spots(ofLives numbers: [Int]) -> [Spot] {
        guard let first = numbers.first else { return [] }
        var spots: [Spot] = []
        let isSection = lives[first].kind == .section
        for (key, sequence) in sequences where isSection == (key == TwinRoom.top) {
            for (index, node) in sequence.enumerated() where numbers.contains(node.life) {
                spots.append(Spot(sequence: key, index: index, node: node))
            }
        }
        return spots
    }

    /// The node of a life that lives.
    func liveSpot(ofLife number: Int) -> Spot? {
        spots(ofLives: [number]).first { $0.node.died == nil }
    }

    /// Makes a node; returns its serial.
    @discardableResult
    mutating func add(
        life: Int, author: Int?, origin: Int, born: Revision, to sequence: Int, at index: Int
    ) -> Int {
        lastSerial += 1
        let node = Node(serial: lastSerial, life: life, born: born, author: author, origin: origin)
        sequences[sequence, default: []].insert(node, at: index)
        return lastSerial
    }

    mutating func end(_ spot: Spot, in revision: Revision) {
        sequences[spot.sequence, default: []][spot.index].died = revision
    }

    /// Forgets the nodes that were dead at `revision`.
    mutating func forget(to revision: Revision) {
        guard revision > horizon else { return }
        horizon = revision
        for key in sequences.keys {
            sequences[key]?.removeAll { node in node.died.map { $0 <= revision } ?? false }
        }
        for (key, _) in sequences where key != TwinRoom.top {
            if let deletion = lives[key].deletion, deletion.revision <= revision {
                sequences[key] = nil
            }
        }
    }

    // MARK: Looking at it

    /// The room now.
    func moment() -> Moment {
        var moment = Moment(snapshot: Snapshot(revision: revision, sections: []))
        for node in sequences[TwinRoom.top] ?? [] where node.died == nil {
            let section = ListSection(id: lives[node.life].id, content: lives[node.life].section)
            let nodes = (sequences[node.life] ?? []).filter { $0.died == nil }
            let items = nodes.map { Item(id: lives[$0.life].id, content: lives[$0.life].item) }
            moment.snapshot.sections.append(.init(section: section, items: items))
            moment.sectionLives.append(node.life)
            moment.itemLives.append(nodes.map(\.life))
            moment.sectionNodes.append(node.serial)
            moment.itemNodes.append(nodes.map(\.serial))
        }
        return moment
    }

    /// Every life has one live node, or none if it is deleted; what lives, lives in a live section.
    func checkInvariants() {
        var liveNodes: [Int: Int] = [:]
        for (key, sequence) in sequences {
            for node in sequence {
                if let died = node.died {
                    precondition(died > horizon, "a node that should be forgotten is there")
                } else {
                    liveNodes[node.life, default: 0] += 1
                    precondition(
                        key == TwinRoom.top || lives[key].deletion == nil,
                        "an item lives in a dead section")
                }
            }
        }
        for (number, life) in lives.enumerated() {
            let expected = life.deletion == nil ? 1 : 0
            precondition(liveNodes[number, default: 0] == expected, "\(life.id) lives twice or not")
        }
    }
}
