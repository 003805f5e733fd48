/// Names of rooms, kinds and views are compared by their bytes, as `RoomName` and `Identifier` are.
/// Swift compares the texts of a `String`, so two spellings would be one name.
enum TextKeyRule {
    /// Modules that get names of others, and may have no keys that are texts.
    static let modules = [
        "SyncModel", "SyncAccess", "SyncEngine", "SyncLayout", "SyncPicture", "SyncJSON",
        "SyncWire", "SyncIO", "SyncTLS", "SyncHTTPCodec", "SyncWebSocket", "SyncStore", "SyncRoom",
        "SyncServer", "SyncHTTP", "SyncClient", "CollSync", "CollSyncJSON", "CollSyncUI",
        "collsync-cli",
    ]

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

    /// Comparisons of what a `ForeignText` shows or a name holds, in any module.
    static func comparisons(in text: String, named path: String) -> [String] {
        SwiftText(text).code.numberedLines.filter { line in
            // To be missing or not is no comparison.
            let text = line.text.replacing(" == nil", with: "").replacing(" != nil", with: "")
            return text.contains(#/\.(shown|text) [=!]= /#)
                || text.contains(#/ [=!]= [\w.?]+\.(shown|text)\b/#)
                || text.contains(#/switch .*\.(shown|text) \{/#)
        }.map { "\(path):\($0.number): compares texts; see ForeignText.isSame(as:)" }
    }
}
