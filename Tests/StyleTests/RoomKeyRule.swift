/// In the store a room is known by its `RoomName`, which is compared by its bytes. Swift compares
/// the texts of a `String`, so two spellings would be one room.
enum RoomKeyRule {
    static let folder = "Sources/SyncStore"

    /// Keys and names of rooms that are texts.
    static let texts = ["[String:", "Set<String>", "room: String"]

    static func findings(in text: String, named path: String) -> [String] {
        SwiftText(text).code.numberedLines.flatMap { line in
            texts.filter { line.text.contains($0) }.map {
                "\(path):\(line.number): '\($0)' compares texts; a room's name is a RoomName"
            }
        }
    }
}
