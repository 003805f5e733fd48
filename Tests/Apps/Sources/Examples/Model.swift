import CollSyncJSON
import CollSyncUV

// The examples of the documentation of values, places, operations and layouts: see
// `Examples.swift`.

func names() throws {
    let milk: Identifier = "milk"
    let typed = try Identifier(readLine() ?? "")
    print(typed == milk, typed.text)
}

func values() {
    let price: Value = ["amount": 1.99, "currency": "EUR", "tags": ["new", "organic"]]
    print(price["amount"]?.asNumber ?? 0, price["tags"]?.asList?.count ?? 0)
}

func items() throws {
    let size = ListSize(width: 100, height: 150)
    let milk = try Item("milk", ["title": "Milk", "litres": 1.5], kind: "product", size: size)
    print(milk["title"]?.asText ?? "", milk.flags.contains(.movable))
}

func sections(_ room: CollectionRoom) async throws {
    let size = ListSize(width: 0, height: 30)
    let header = Supplementary("header", ["title": "Dairy"], size: size)
    let dairy = try ListSection("dairy", ["title": "Dairy"], supplementaries: [header])
    try await room.submit(.insertSection(dairy, to: .end))
}

func places(_ room: CollectionRoom) async throws {
    try await room.submit(
        .insert("milk", ["title": "Milk"], at: .start(of: "dairy")),
        .move("eggs", to: .after("milk")),
        .moveSection("dairy", to: .index(0)))
}

func operations(_ room: CollectionRoom) async throws {
    try await room.submit(
        .insertSection("done", at: .end),
        .insert("milk", ["title": "Milk", "count": 1], at: .end(of: "main")),
        .increment("milk", field: "count", by: 2),
        .update("eggs", set: ["title": "Ten eggs"], unset: ["note"]),
        .move("bread", to: .start(of: "done")),
        .delete("tea"))
}

func transactions(_ room: CollectionRoom, _ list: CollectionList) async throws {
    let transaction = ListTransaction(
        base: list.revision ?? 0, operations: [.delete("milk"), .delete("eggs")])
    try await room.submit(transaction.operations, base: transaction.base)
}

func rejections(_ room: CollectionRoom) async throws {
    do {
        try await room.submit(.move("milk", to: .end(of: "done")))
    } catch {
        switch error.rejection?.code {
        case .notAllowed: print("milk stays where it is:", error.message)
        case .limitExceeded: print("the room is full:", error.message)
        default: throw error
        }
    }
}

func stages(_ batch: Batch) {
    for stage in batch.stages {
        for placed in stage.reloads { print("reload", placed.path, placed.item.id) }
        for path in stage.deletes { print("delete", path) }
        for placed in stage.inserts { print("insert", placed.path, placed.item.id) }
        for move in stage.moves { print("move", move.from, "to", move.to) }
    }
}

func snapshots(_ room: CollectionRoom) async throws {
    let snapshot = try await room.snapshot()
    for state in snapshot.sections {
        print(state.section.id, state.items.map { $0["title"]?.asText ?? "" })
    }
}

func clipboards(_ room: CollectionRoom, _ other: CollectionRoom) async throws {
    var clipboard = try await room.cut(["milk"])
    let pasted = try await other.paste(&clipboard, to: .start(of: "main"), from: room)
    print(pasted.ids, clipboard.isCut)
}

func clipboardsAsText(_ room: CollectionRoom) async throws {
    let clipboard = try await room.copy(["milk"])
    let text = clipboard.json
    let same = try Clipboard(json: text)
    print(same == clipboard)
}

func layouts(_ room: CollectionRoom) async throws -> CollectionView {
    var spec = LayoutSpec(kind: .waterfall)
    spec.options.columnCount = 3
    spec.options.headerHeight = 30
    spec.options.sectionHeadersPinToVisibleBounds = true
    let view = try await room.openView(spec, bounds: ListRect(width: 320, height: 480))
    return view
}

func layoutOptions(_ spec: inout LayoutSpec) {
    var options = LayoutOptions()
    options.itemSize = ListSize(width: 80, height: 80)
    options.sectionInset = Insets(top: 10, left: 10, bottom: 10, right: 10)
    options.headerReferenceSize = ListSize(width: 0, height: 30)
    options.sectionHeadersPinToVisibleBounds = true
    options.decorations = [Decoration(kind: "ground")]
    spec.options = options
}

func changes(_ view: CollectionView) async {
    for await event in view.events {
        guard case .updated(let change) = event else { continue }
        for gone in change.disappeared { print("remove", gone.from.key) }
        for changed in change.changed { print(changed.to.key, changed.to.element.frame) }
        for new in change.appeared { print("add", new.to.key, new.to.element.frame) }
    }
}

func animations(_ change: ViewChange) {
    for step in 0...10 {
        for shown in change.elements(at: Double(step) / 10) {
            print(shown.key, shown.element.frame, shown.element.alpha)
        }
    }
}

func guards(_ room: CollectionRoom) async throws {
    try await room.submit(.delete("milk").ifUnchanged(since: 7, content: true))
}

func guardedChanges(_ commit: Commit) {
    for lost in commit.superseded where lost.changed.contains(.content) {
        print("operation", lost.operation, "was made for other content")
    }
}
