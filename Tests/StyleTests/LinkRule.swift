import Foundation

/// A link to a page, or to a heading of one, leads to a file and a heading that exist. A link that
/// is named after a part of the code leads to a file that contains the name.
enum LinkRule {
    /// - Parameters:
    ///   - path: the page's path from the package's top folder.
    ///   - pages: the texts of all pages, by their paths.
    static func findings(
        in text: String, named path: String, pages: [String: String], exists: (String) -> Bool
    ) -> [String] {
        links(in: text)
            .filter { !$0.contains("://") }
            .filter { !leadsSomewhere($0, from: path, pages: pages, exists: exists) }
            .map { "\(path): nothing is at \($0)" }
    }

    /// - Parameter read: returns the text of a file; `nil` for a folder.
    static func misnamed(
        in text: String, named path: String, read: (String) -> String?
    ) -> [String] {
        text.matches(of: /\[`([^`]+)`\]\(([^)\s#]+)\)/).compactMap { match in
            let target = place(match.2, from: path)
            let file = target.split(separator: "/").last ?? ""
            if file == match.1 || file.hasPrefix("\(match.1).") { return nil }
            guard let text = read(target) else { return nil }
            // For `Room.receive` both words, in any order.
            let words = match.1.split(separator: ".")
            return words.allSatisfy(text.contains)
                ? nil : "\(path): \(target) does not say \(match.1)"
        }
    }

    /// Links within a line, links in a list below, and links of pictures.
    private static func links(in text: String) -> [String] {
        let inline = text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
        let listed = text.matches(of: /\n\[[^\]\n]+\]: (\S+)/).map { String($0.1) }
        let pictures = text.matches(of: /src="([^"]+)"/).map { String($0.1) }
        return inline + listed + pictures
    }

    /// A link's target as a path from the package's top folder.
    private static func place(_ link: some StringProtocol, from path: String) -> String {
        var target = path.split(separator: "/").dropLast().map(String.init)
        for name in link.split(separator: "/") {
            if name == ".." { _ = target.popLast() } else { target.append(String(name)) }
        }
        return target.joined(separator: "/")
    }

    private static func leadsSomewhere(
        _ link: String, from path: String, pages: [String: String], exists: (String) -> Bool
    ) -> Bool {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let page = parts[0].isEmpty ? path : place(parts[0], from: path)
        guard parts.count == 2 else { return exists(page) }
        return pages[page].map { headings(of: $0).contains(String(parts[1])) } ?? false
    }

    /// The anchors of a page's headings: in lower case, with a hyphen for each space, without
    /// punctuation.
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
