/// Bytes of strangers are never decoded by `Codable`: it makes a `String` of each key, hashes it,
/// and compares it by the glyphs that it shows. The exception decodes what a bench measures by.
enum DecodingRule {
    static let exceptions = ["Sources/collsync-bench/TraceBenchmark.swift"]

    static func findings(in text: String, named path: String) -> [String] {
        if exceptions.contains(path) { return [] }
        return SwiftText(text).code.numberedLines.filter { $0.text.contains("JSONDecoder") }.map {
            "\(path):\($0.number): JSONDecoder compares keys as texts; use SyncJSON"
        }
    }
}
