import Foundation
import SyncTerminal

/// A table for people: the work, its speed, the goal, and the speed of a rival in the same run.
struct Report {
    private var rows: [[String]]
    /// What did not reach its goal.
    private(set) var missed: [String] = []

    /// - Parameter head: the titles of the four columns.
    init(_ head: [String] = ["what", "measured", "reach", "beside"]) {
        rows = [head]
    }

    mutating func add(
        _ what: String, _ measured: String, _ reach: String, _ beside: String?,
        isReached: Bool = true
    ) {
        rows.append([what, measured, reach, beside ?? ""])
        if !isReached { missed.append(what.trimmingCharacters(in: .whitespaces)) }
    }

    /// - Parameter rates: the rates of several rounds, a second; at least one.
    mutating func addRates(_ what: String, _ rates: [Double], reach: Double, loro: Double?) {
        let rates = rates.sorted()
        let median = rates[rates.count / 2]
        let range = String(format: "(%.2f to %.2f)", rates[0] / 1e6, rates[rates.count - 1] / 1e6)
        add(
            what, "\(Report.rate(median)) \(range)", "≥ \(Report.rate(reach))",
            loro.map { "Loro \(Report.rate($0)): \(Report.ratio(median / $0))" })
    }

    static func rate(_ perSecond: Double) -> String {
        String(format: "%.2f M/s", perSecond / 1e6)
    }

    static func milliseconds(_ seconds: Double) -> String {
        String(format: "%.4g ms", seconds * 1000)
    }

    static func ratio(_ ratio: Double) -> String {
        String(format: "× %.1f", ratio)
    }

    static func thousands(_ perSecond: Double) -> String {
        String(format: "%.1f k/s", perSecond / 1000)
    }

    static func percent(_ share: Double) -> String {
        String(format: "%.0f %%", share * 100)
    }

    static func times(_ ratio: Double) -> String {
        String(format: "× %.2f", ratio)
    }

    /// The least and the greatest of some ratios, which are sorted.
    static func span(_ ratios: [Double], _ text: (Double) -> String) -> String {
        guard let first = ratios.first, let last = ratios.last else { return "" }
        return " (\(text(first)) to \(text(last)))"
    }

    /// Prints it with aligned columns.
    func print() {
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            Report.say(cells.joined(separator: "  "))
        }
    }

    /// Prints lines, which may quote arguments or a server.
    static func say(_ text: String) {
        Swift.print(TerminalText(lines: text).text)
    }

    /// Prints progress while a report is made.
    static func sayMeanwhile(_ text: String) {
        let line = TerminalText(lines: text).text + "\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
