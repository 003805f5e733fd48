/// Reads the text format of Prometheus, version 0.0.4, more strictly than Prometheus does: what the
/// server writes has one form only.
struct Exposition {
    struct Sample: Hashable {
        var name: String
        /// The label and its value; empty if there is none. If there are two, a comma is between.
        var label = ""
        var value = ""
    }

    struct Family {
        var name: String
        var help: String
        var kind = ""
        /// In order, with the value as text.
        var samples: [(key: Sample, number: String)] = []

        var label: String { samples.first?.key.label ?? "" }
        var labelValues: [String] { samples.map(\.key.value) }
    }

    struct Mistake: Error {
        var line: String
        var why: String
    }

    private(set) var families: [Family] = []

    init(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Mistake(line: "", why: "it is not UTF-8")
        }
        guard text.hasSuffix("\n") else { throw Mistake(line: "", why: "the last line has no end") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            do throws(Problem) {
                try read(line)
            } catch {
                throw Mistake(line: String(line), why: error.text)
            }
        }
        for family in families {
            do throws(Problem) {
                try check(family)
            } catch {
                throw Mistake(line: family.name, why: error.text)
            }
        }
        let names = Set(families.map(\.name))
        guard names.count == families.count else { throw Mistake(line: "", why: "a family twice") }
    }

    /// The value of a sample; `nil` if there is none.
    subscript(name: String, value: String = "") -> Double? {
        for family in families {
            for (key, number) in family.samples where key.name == name && key.value == value {
                return number == "+Inf" ? .infinity : Double(number)
            }
        }
        return nil
    }

    private struct Problem: Error {
        var text: String
    }

    private func expect(_ condition: Bool, _ why: String) throws(Problem) {
        if !condition { throw Problem(text: why) }
    }

    // MARK: Lines

    private mutating func read(_ line: Substring) throws(Problem) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        switch words.prefix(2).joined(separator: " ") {
        case "# HELP":
            try expect(words.count == 4, "a help line has a name and a sentence")
            try expect(!words[3].isEmpty && !words[3].contains("\\"), "a help text is plain")
            try expect(Self.isName(words[2]), "a name has letters, digits and _")
            families.append(Family(name: String(words[2]), help: String(words[3])))
        case "# TYPE":
            try expect(words.count == 4, "a type line has a name and a type")
            guard let last = families.indices.last else { throw Problem(text: "no help before") }
            try expect(families[last].name == words[2], "type and help are of one family")
            try expect(families[last].kind.isEmpty, "a family has one type")
            try expect(["counter", "gauge", "histogram"].contains(words[3]), "an unknown type")
            families[last].kind = String(words[3])
        default: try readSample(line)
        }
    }

    private mutating func readSample(_ line: Substring) throws(Problem) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        try expect(parts.count == 2, "a sample is a name and a number")
        guard let last = families.indices.last else { throw Problem(text: "no family before") }
        try expect(!families[last].kind.isEmpty, "the type comes before the samples")
        try expect(Self.isNumber(parts[1]), "that is no number")
        var key = Sample(name: String(parts[0]))
        if let open = parts[0].firstIndex(of: "{") {
            key.name = String(parts[0][..<open])
            try expect(parts[0].last == "}", "labels end with a brace")
            let labels = try parts[0][open...].dropFirst().dropLast()
                .split(separator: ",", omittingEmptySubsequences: false)
                .map { label throws(Problem) in try readLabel(label) }
            key.label = labels.map(\.name).joined(separator: ",")
            key.value = labels.map(\.value).joined(separator: ",")
        }
        try expect(Self.isName(Substring(key.name)), "a name has letters, digits and _")
        let isNew = !families[last].samples.contains { $0.key == key }
        try expect(isNew, "a sample comes once")
        families[last].samples.append((key, String(parts[1])))
    }

    private func readLabel(_ text: Substring) throws(Problem) -> (name: String, value: String) {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        try expect(parts.count == 3 && parts[2].isEmpty, "a label has one value in quotes")
        try expect(parts[0].hasSuffix("="), "a label has a value")
        let name = parts[0].dropLast()
        try expect(Self.isName(name), "a label's name has letters, digits and _")
        try expect(!parts[1].isEmpty && !parts[1].contains("\\"), "a value is plain")
        return (String(name), String(parts[1]))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text == "+Inf" || text.allSatisfy { "0123456789.".contains($0) } && Double(text) != nil
    }

    // MARK: Families

    private func check(_ family: Family) throws(Problem) {
        try expect(!family.kind.isEmpty, "a family has a type")
        try expect(!family.samples.isEmpty, "a family has samples")
        try expect(family.help.hasSuffix("."), "a help is a sentence")
        let isTotal = family.name.hasSuffix("_total")
        try expect(
            (family.kind == "counter") == isTotal, "counters, and only they, end with _total")
        if family.kind == "histogram" { return try checkHistogram(family) }
        try expect(family.samples.allSatisfy { $0.key.name == family.name }, "a foreign sample")
        let labels = Set(family.samples.map(\.key.label))
        try expect(labels.count == 1, "all samples of a family have the same label")
    }

    private func checkHistogram(_ family: Family) throws(Problem) {
        var (bound, count) = (-Double.infinity, 0)
        for (key, number) in family.samples.dropLast(2) {
            try expect(key.name == family.name + "_bucket" && key.label == "le", "no bucket")
            let next = key.value == "+Inf" ? .infinity : Double(key.value)
            guard let next, let total = Int(number) else { throw Problem(text: "no bucket") }
            try expect(next > bound, "bounds ascend")
            try expect(total >= count, "a bucket has what those before have")
            (bound, count) = (next, total)
        }
        let ends = family.samples.suffix(2)
        try expect(ends.map(\.key.name) == ["_sum", "_count"].map { family.name + $0 }, "no sum")
        try expect(bound == .infinity, "the last bucket has everything")
        try expect(
            ends.last.map { Int($0.number) == count } ?? false, "the last bucket is the count")
    }
}
