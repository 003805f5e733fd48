import CollSyncUV

/// Adds an item to a room, shows what becomes of the room, and ends when somebody has marked the
/// item as done.
///
///     Groceries ADDRESS
@main struct Groceries {
    static func main() async throws {
        let client = try await CollectionClient.connect(to: CommandLine.arguments[1])
        let room = try await client.join("groceries")
        try await room.submit(.insert("milk", ["title": "Milk"], at: .end(of: "main")))
        let list = CollectionList()
        for try await change in room.changes {
            try list.apply(change)
            print(list["milk"]?["title"] ?? "gone", list.path(of: "milk") as Any)
            if list["milk"]?["done"] == true { break }
        }
        client.close()
    }
}
