/// Bytes of strangers are never decoded by `Codable`: it makes a `String` of each key, hashes it,
/// and compares it by the glyphs that it shows. The exceptions decode what the operator or this
/// program has written.
enum DecodingRule {
    static let exceptions = [
        "Sources/SyncTokens/KeyRing.swift", "Sources/collsync/Config/FlagNames.swift",
        "Sources/collsync/Audit/AuditLine.swift", "Sources/collsync-bench/TraceBenchmark.swift",
    ]

    static func findings(in text: String, named path: String) -> [String] {
        if exceptions.contains(path) { return [] }
        return SwiftText(text).code.numberedLines.filter { $0.text.contains("JSONDecoder") }.map {
            "\(path):\($0.number): JSONDecoder compares keys as texts; use SyncJSON"
        }
    }
}
