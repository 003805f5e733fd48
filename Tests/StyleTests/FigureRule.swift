/// A figure of the first page stands on the page that its row links to: each number of the row is
/// in the section there.
enum FigureRule {
    /// - Parameter page: the text of a page by its path.
    static func findings(
        in text: String, page: (String) throws -> String
    ) rethrows -> [String] {
        var links: [Substring: (path: String, anchor: String)] = [:]
        for match in text.matches(of: #/(?m)^\[(\w+)\]: (\S+)#(\S+)$/#) {
            links[match.output.1] = (String(match.output.2), String(match.output.3))
        }
        var findings: [String] = []
        for match in text.matches(of: #/(?m)^\| \[[^\]]+\]\[(\w+)\][^|]*\|(.*)\|$/#) {
            guard let link = links[match.output.1] else {
                findings.append("there is no link '\(match.output.1)'")
                continue
            }
            let known = Set(numbers(in: section(link.anchor, of: try page(link.path))))
            for number in numbers(in: match.output.2) where !known.contains(number) {
                findings.append("\(number) is not in \(link.path)#\(link.anchor)")
            }
        }
        return findings
    }

    /// The lines from a heading up to the next one.
    private static func section(_ anchor: String, of page: String) -> Substring {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let isHeading = { (line: Substring) in line.hasPrefix("## ") }
        let start = lines.firstIndex {
            isHeading($0)
                && $0.dropFirst(3).lowercased().replacing(" ", with: "-") == anchor
        }
        guard let start else { return "" }
        let end = lines[(start + 1)...].firstIndex(where: isHeading) ?? lines.endIndex
        return Substring(lines[start..<end].joined(separator: "\n"))
    }

    private static func numbers(in text: Substring) -> [Substring] {
        text.matches(of: #/[0-9][0-9.,]*[0-9]|[0-9]/#).map(\.output)
    }
}
