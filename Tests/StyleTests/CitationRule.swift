/// Tests cite the merge rules that they prove by the paper's numbers. Each rule has such a test,
/// and no test cites an unknown rule.
///
///     @Test("P1, P3: sections are placed like items")
enum CitationRule {
    /// The numbers of the paper's rules.
    static func rules(in paper: String) -> Set<String> {
        Set(paper.matches(of: #/(?:^|\n)([A-Z][0-9]+)\. /#).map { String($0.1) })
    }

    static func findings(rules: Set<String>, tests: [Repository.File]) -> [String] {
        var proved: Set<String> = []
        var findings: [String] = []
        for test in tests {
            let named = citations(in: test.text)
            proved.formUnion(named)
            // Comments may cite a rule anywhere.
            let letters = Set(rules.compactMap(\.first))
            let mentioned = String(decoding: SwiftText(test.text).comments, as: UTF8.self)
                .matches(of: /\b[A-Z][0-9]{1,2}\b/).map { String($0.output) }
                .filter { $0.first.map(letters.contains) ?? false }
            findings += Set(named).union(mentioned).subtracting(rules).sorted()
                .map { "\(test.path): cites \($0), which is no rule" }
        }
        return findings + rules.subtracting(proved).sorted().map { "no test cites \($0)" }
    }

    /// The citations at the beginning of test names.
    private static func citations(in test: String) -> [String] {
        test.matches(of: #/@Test\(\s*"([A-Z][0-9]+(?:, [A-Z][0-9]+)*): /#).flatMap { name in
            name.1.split(separator: ", ").map(String.init)
        }
    }
}
