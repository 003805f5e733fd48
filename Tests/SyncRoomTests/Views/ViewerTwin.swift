import LayoutTwin
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire

/// What a client knows of a view: its requests and the sum of its updates.
struct ViewerTwin {
    typealias Shown = WholeScreen.Shown
    typealias Anchor = (item: ItemAnchor, revision: Revision)

    let number: ViewNumber
    var spec: LayoutSpec
    var surroundings: LayoutEnvironment
    var bounds: ListRect
    var overscan: Double
    /// The item to go to, and the room's revision when it was requested.
    var anchor: Anchor?
    /// How many requests it made, and how many were answered.
    var asked: UInt64 = 0
    private(set) var answered: UInt64 = 0
    private(set) var seen: UInt64 = 0
    private(set) var revision: Revision?
    private(set) var contentSize: ListSize?
    private(set) var screen: [UInt32: Shown] = [:]
    /// The bounds at the time of the last update.
    var shownBounds: ListRect?
    /// Whether another layout was requested since then.
    var hasOtherLayout = false
    /// Whether bounds at another origin came with another layout since then.
    var isPlaced = false
    /// The look at that time, and the looks that were requested since.
    var looks: [Look] = []

    init(
        _ number: ViewNumber, _ spec: LayoutSpec, _ surroundings: LayoutEnvironment,
        _ bounds: ListRect
    ) {
        self.number = number
        self.spec = spec
        self.surroundings = surroundings
        self.bounds = bounds
        overscan = 0
    }

    var look: Look { Look(spec, in: surroundings, bounds: bounds, overscan: overscan) }

    /// The look with the server's bounds: these already include the shifts of updates in flight.
    func look(having updates: [ViewUpdate]) -> Look {
        var twin = self
        for update in updates where update.view == number {
            if let shift = update.shift { twin.bounds.origin += shift }
        }
        return twin.look
    }

    var demand: ViewDemand {
        ViewDemand(
            view: number, spec: spec, surroundings: surroundings, bounds: bounds,
            overscan: overscan, seen: seen, anchor: anchor.map { .item($0.item) }, serial: asked)
    }

    /// Applies an update.
    ///
    /// - Returns: what is wrong with it.
    mutating func take(_ update: ViewUpdate) -> String? {
        if update.isFirst {
            screen = [:]
            contentSize = nil
        } else if update.number != seen + 1 {
            return "update \(update.number) comes after \(seen)"
        }
        if update.isFirst, update.contentSize == nil { return "the first one has no size" }
        guard (answered...asked).contains(update.serial) else {
            return "\(update.serial) is answered after \(answered), and \(asked) was asked last"
        }
        answered = update.serial
        seen = update.number
        revision = update.revision
        if let size = update.contentSize { contentSize = size }
        if let shift = update.shift {
            bounds.x += shift.x
            bounds.y += shift.y
        }
        // The client keeps the contents of its screen before the update.
        let held = contents
        for gone in update.disappeared where screen.removeValue(forKey: gone.key) == nil {
            return "\(gone.key) disappears, which is not there"
        }
        var told: [ViewThing: ViewContent] = [:]
        for content in update.items.map(ViewContent.item) + update.sections.map(ViewContent.section)
        {
            guard told.updateValue(content, forKey: content.thing) == nil else {
                return "\(content.thing) is told twice"
            }
        }
        for changed in update.changed {
            guard var shown = screen[changed.key] else {
                return "\(changed.key) changes, which is not there"
            }
            if changed.to.isEmpty {
                return "\(changed.key) changes nothing"
            }
            shown.element = changed.to.applied(to: shown.element)
            screen[changed.key] = shown
        }
        for appeared in update.appeared {
            guard let content = told[appeared.thing] ?? held[appeared.thing] else {
                return "nobody told what \(appeared.thing) is"
            }
            let shown = Shown(element: appeared.element, content: content)
            guard screen.updateValue(shown, forKey: appeared.key) == nil else {
                return "\(appeared.key) appears twice"
            }
        }
        for (key, shown) in screen {
            if let thing = shown.content?.thing, let content = told[thing] {
                screen[key]?.content = content
            }
        }
        let shown = contents
        return told.keys.first { shown[$0] == nil }.map { "\($0) is told, which nothing shows" }
    }

    /// The contents of all things on the screen.
    private var contents: [ViewThing: ViewContent] {
        var contents: [ViewThing: ViewContent] = [:]
        for shown in screen.values {
            if let content = shown.content { contents[content.thing] = content }
        }
        return contents
    }

    var key: LayoutKey {
        var environment = surroundings
        environment.viewport = bounds.size
        return LayoutKey(spec, in: environment)
    }

    /// Describes the first difference between the screen and a fresh layout of the room.
    ///
    /// - Parameter isWhole: whether no update is in flight, so that everything must be there with
    ///   its newest content.
    func difference(from snapshot: Snapshot, isWhole: Bool) throws -> String? {
        difference(from: try WholeScreen(of: snapshot, in: look), isWhole: isWhole)
    }

    /// Describes the first difference from a given screen.
    func difference(from whole: WholeScreen, isWhole: Bool) -> String? {
        whole.difference(from: screen.values, contentSize, isWhole: isWhole)
    }

    /// The items in a part of the screen, the first one first, and how far they are from the origin
    /// of the bounds.
    func anchors(in seen: ListRect) -> [(id: Identifier, distance: ListPoint)] {
        let cells = screen.values.compactMap { shown -> (ItemPath, Identifier, ListRect)? in
            guard case .cell(let path) = shown.element.identity,
                case .item(let item)? = shown.content
            else { return nil }
            return (path, item.id, shown.element.frame)
        }
        return cells.filter { $0.2.intersects(seen) }.sorted { $0.0 < $1.0 }.map {
            ($0.1, ListPoint(x: $0.2.x - bounds.x, y: $0.2.y - bounds.y))
        }
    }
}
