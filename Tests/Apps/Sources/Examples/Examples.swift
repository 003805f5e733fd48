import CollSync
import CollSyncUI
import CollSyncUV
import Foundation
import SyncTLS

// The examples of the documentation, word for word, as far as they are more than a line: that they
// are all here is checked by a test, and that they are right by the compiler. They are not run.

func connecting() async throws {
    let client = try await CollectionClient.connect(to: "127.0.0.1:7420")
    let remote = try await CollectionClient.connect(to: "wss://sync.example.org")
    for connected in [client, remote] { connected.close() }
}

func aList() async throws {
    let client = try await CollectionClient.connect(to: "127.0.0.1:7420")
    let room = try await client.join("groceries")
    try await room.submit(.insert("milk", ["title": "Milk"], at: .end(of: "main")))
    let list = CollectionList()
    for try await change in room.changes {
        try list.apply(change)
        print(list["milk"]?["title"] ?? "gone", list.path(of: "milk") as Any)
    }
}

struct Account {
    func freshToken() async throws -> String { "" }
}

func tokens(_ account: Account, _ tls: TLSClient) async throws {
    let client = try await CollectionClient.connect(to: "sync.example.org:7420", tls: tls) {
        try await account.freshToken()
    }
    client.close()
}

@MainActor func aCollectionView(
    _ room: CollectionRoom, _ list: CollectionList, _ collectionView: some BatchUpdating
) async throws {
    for try await change in room.changes {
        try list.apply(change, to: collectionView)
    }
}

@MainActor func stages(
    _ batch: Batch, _ list: CollectionList, _ view: some BatchUpdating
) throws {
    try list.apply(batch) { stage, applyStage in
        view.performBatchUpdates(
            {
                applyStage()
                view.deleteItems(at: stage.deletes.map { IndexPath($0) })
            }, completion: nil)
    }
}

func rooms(_ client: CollectionClient) async throws {
    let room = try await client.join("groceries")
    let commit = try await room.submit(
        .insert("milk", ["title": "Milk"], at: .end(of: "main")),
        .delete("eggs"))
    for lost in commit.superseded { print("operation", lost.operation, lost.reason) }
    print(try await room.snapshot().sections.count, "sections at revision", commit.revision)
    room.leave()
}

func histories(_ client: CollectionClient) async throws {
    for try await batch in client.history(of: "groceries", from: 0, everyRevision: true) {
        print(batch.from, batch.to, batch.stages.count)
    }
}

func items(_ client: CollectionClient) async throws {
    var page = try await client.items(of: "groceries", limit: 100)
    while true {
        for found in page.items { print(found.path, found.section, found.item.id) }
        guard let next = page.next else { break }
        page = try await client.items(
            of: "groceries", after: next, limit: 100, at: page.revision, origin: page.origin)
    }
}

func someItems(_ client: CollectionClient) async throws {
    let first = try await client.items(of: "groceries", in: "dairy", limit: 20)
    print(first.items.map(\.item.id), first.next == nil ? "all" : "more")
    let found = try await client.items(of: "groceries", containing: "milk")
    for place in found.items.map(\.path) { print(place.section, place.item) }
    let milk = try await client.items(["milk", "eggs"], of: "groceries")
    print(milk.items.first?.item["title"]?.asText ?? "no milk")
}

func figures(_ client: CollectionClient) async throws {
    let stats = try await client.stats(of: "groceries")
    print(stats.revision, stats.figures[.items] ?? 0, stats.server[.connections] ?? 0)
    for figure in stats.figures.all { print(figure.name, figure.value) }
}

func screens(_ room: CollectionRoom) async throws {
    let view = try await room.openView(
        LayoutSpec(kind: .flow), bounds: ListRect(width: 375, height: 667), overscan: 200)
    for shown in try await view.screen().elements { print(shown.element.frame) }
    view.scroll(to: ListPoint(y: 1_000))
    view.scroll(toItem: "milk")
    view.change(layout: LayoutSpec(kind: .waterfall))
    view.close()
}

func views(_ room: CollectionRoom) async throws {
    let bounds = ListRect(x: 0, y: 0, width: 375, height: 667)
    let view = try await room.openView(LayoutSpec(kind: .waterfall), bounds: bounds)
    for await event in view.events {
        if case .updated(let change) = event { print(change.appeared.count, "more to see") }
    }
}

func drags(_ view: CollectionView) async throws {
    try await view.beginDrag(of: "milk")
    view.drag(to: ListPoint(x: 40, y: 310))
    try await view.endDrag()
}

func presence(_ client: CollectionClient) async throws {
    let room = try await client.join("groceries", options: JoinOptions(presence: true))
    try room.setPresence(selected: ["milk"])
    for await changes in room.presence {
        for case .shows(let member) in changes { print(member.client, member.selected) }
    }
}

func clipboards(_ room: CollectionRoom) async throws {
    var clipboard = try await room.cut(["milk", "eggs"])
    try await room.paste(&clipboard, to: .end(of: "done"))
}

func refusals(_ room: CollectionRoom, _ operations: [ListOperation]) async throws {
    do {
        try await room.submit(operations)
    } catch {
        guard let refused = error.refused, refused.isTooLarge else { throw error }
        try await room.submitInPieces(refused)
    }
}
