/// Names of rooms, kinds and views are compared by their bytes, as `RoomName` and `Identifier` are.
/// Swift compares the texts of a `String`, so two spellings would be one name.
enum TextKeyRule {
    /// Modules that get names of others.
    static let modules = [
        "SyncModel", "SyncAccess", "SyncEngine", "SyncLayout", "SyncPicture", "SyncJSON",
        "SyncWire", "SyncStore", "SyncRoom", "SyncServer", "SyncHTTP/Lines", "SyncHTTP/Exchanges",
        "SyncClient", "CollSync",
    ]

    /// Keys that are texts.
    private static let keys = ["[String:", "Set<String>", "kind: String"]

    /// What must not be in a module.
    static func texts(in module: String) -> [String] {
        keys + (module == "SyncStore" ? ["room: String"] : [])
    }

    static func findings(in text: String, named path: String, of module: String) -> [String] {
        SwiftText(text).code.numberedLines.flatMap { line in
            texts(in: module).filter { line.text.contains($0) }.map {
                "\(path):\(line.number): '\($0)' compares texts; a name is a RoomName or Identifier"
            }
        }
    }
}
