import Foundation

/// A link from one page to another, or to a heading of one, leads to a file and a heading that are there.
enum LinkRule {
    /// - Parameters:
    ///   - path: the page's, from the package's top folder on.
    ///   - pages: the texts of all pages, by their paths.
    static func findings(
        in text: String, named path: String, pages: [String: String], exists: (String) -> Bool
    ) -> [String] {
        text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            .filter { !$0.contains("://") }
            .filter { !leadsSomewhere($0, from: path, pages: pages, exists: exists) }
            .map { "\(path): nothing is at \($0)" }
    }

    private static func leadsSomewhere(
        _ link: String, from path: String, pages: [String: String], exists: (String) -> Bool
    ) -> Bool {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let folder = path.split(separator: "/").dropLast().map(String.init)
        var target = parts[0].isEmpty ? path.split(separator: "/").map(String.init) : folder
        for name in parts[0].split(separator: "/") {
            if name == ".." { _ = target.popLast() } else { target.append(String(name)) }
        }
        let page = target.joined(separator: "/")
        guard parts.count == 2 else { return exists(page) }
        return pages[page].map { headings(of: $0).contains(String(parts[1])) } ?? false
    }

    /// How links name a page's headings: in small letters, with a hyphen for each space, without signs.
    private static func headings(of text: String) -> Set<String> {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            lines.map { line in
                let title = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                return String(
                    title.replacing(" ", with: "-")
                        .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
            })
    }
}
