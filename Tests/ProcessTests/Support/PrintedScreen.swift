/// A view's screen according to its `viewUpdate` lines. It fails on a line that does not fit the
/// screen before.
struct PrintedScreen {
    let view: String
    private(set) var revision = -1
    private(set) var contentSize: JSON?
    private(set) var elements: [JSON] = []
    /// How many updates went from one layout to another.
    private(set) var transitionCount = 0

    init(_ view: String) {
        self.view = view
    }

    /// The ids of the items whose cells are shown, sorted.
    var items: [String] { elements.compactMap { $0["id"]?.text }.sorted() }

    /// Applies a line if it is about this view.
    mutating func take(_ line: String) throws {
        guard let update = try JSON(line)["viewUpdate"], update["view"]?.text == view else {
            return
        }
        guard let revision = update["revision"]?.integer, revision >= self.revision else {
            throw TestFailure("the screen went back: \(line)")
        }
        self.revision = revision
        contentSize = update["contentSize"] ?? contentSize
        if update["transition"] == true { transitionCount += 1 }
        let changed = update["changed"]?.list ?? []
        for entry in update["disappeared"]?.list ?? [] { try remove(entry["element"], line) }
        for entry in changed { try remove(entry["from"], line) }
        elements += changed.compactMap { $0["to"] }
        for entry in update["appeared"]?.list ?? [] {
            guard let element = entry["element"], entry["initial"] != nil, entry["content"] != nil
            else { throw TestFailure("what appears is not said: \(line)") }
            elements.append(element)
        }
    }

    private mutating func remove(_ element: JSON?, _ line: String) throws {
        guard let index = elements.firstIndex(where: { $0 == element }) else {
            throw TestFailure("what was not shown differs or goes: \(line)")
        }
        elements.remove(at: index)
    }
}
