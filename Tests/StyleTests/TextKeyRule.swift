/// Names of rooms, kinds and views are compared by their bytes, as `RoomName` and `Identifier` are.
/// Swift compares the texts of a `String`, so two spellings would be one name.
enum TextKeyRule {
    /// Modules that get names of others.
    static let modules = [
        "SyncModel", "SyncAccess", "SyncEngine", "SyncLayout", "SyncPicture", "SyncJSON",
        "SyncWire", "SyncIO", "SyncTLS", "SyncHTTPCodec", "SyncWebSocket", "SyncStore", "SyncRoom",
        "SyncServer", "SyncHTTP", "SyncClient", "CollSync", "CollSyncJSON", "CollSyncUI",
        "collsync-cli",
    ]

    /// Keys that are texts, and comparisons of what a `ForeignText` shows or a name holds.
    private static let keys = [
        "[String:", "Set<String>", "kind: String", ".shown ==", ".shown !=", ".text ==",
        ".text !=",
    ]

    /// What must not be in a module.
    static func texts(in module: String) -> [String] {
        keys + (module == "SyncStore" ? ["room: String"] : [])
    }

    static func findings(in text: String, named path: String, of module: String) -> [String] {
        SwiftText(text).code.numberedLines.flatMap { line in
            // To be missing or not is no comparison.
            let text = line.text.replacing(" == nil", with: "").replacing(" != nil", with: "")
            let isSwitch = text.contains("switch ") && text.contains(".shown {")
            let found = texts(in: module).filter { text.contains($0) }
            return (found + (isSwitch ? ["switch"] : [])).map {
                "\(path):\(line.number): '\($0)' compares texts; a name is a RoomName or Identifier"
            }
        }
    }
}
