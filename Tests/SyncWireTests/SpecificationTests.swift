import Foundation
import SyncModel
import SyncWire
import Testing

/// The tables in `Protocol/` list exactly what the code has.
@Suite("Specification")
struct SpecificationTests {
    @Test("every error, with its number, whether to retry, and whether it closes")
    func errors() throws {
        let expected = ErrorCode.allCases.map { code in
            [code.rawValue, "\(code.number)", yes(code.retry), yes(code.closes)]
        }
        let rows = try table("error", in: "errors.md").map { Array($0.prefix(4)) }
        #expect(rows == expected)
        for code in ErrorCode.allCases { #expect(ErrorCode(number: code.number) == code) }
        #expect(ErrorCode(number: 4711) == .unknown)
    }

    @Test("every reject code")
    func rejections() throws {
        let expected = Rejection.Code.allCases.map { [$0.name, "\($0.rawValue)", yes($0.retry)] }
        let rows = try table("reject", in: "submitting.md").map { Array($0.prefix(3)) }
        #expect(rows == expected)
    }

    @Test("every reason of a lost operation")
    func reasons() throws {
        let expected = Superseded.Reason.allCases.map { [$0.name, "\($0.rawValue)"] }
        let rows = try table("superseded", in: "submitting.md").map { Array($0.prefix(2)) }
        #expect(rows == expected)
    }

    @Test("every limit, with its default")
    func limits() throws {
        let limits = WireLimits()
        let expected = [
            ["frame_bytes", "\(limits.frameBytes)"],
            ["transaction_bytes", "\(limits.transactionBytes)"],
            ["transaction_operations", "\(limits.transactionOperations)"],
            ["content_bytes", "\(limits.contentBytes)"],
            ["content_fields", "\(limits.contentFields)"],
            ["unanswered_transactions", "\(limits.unansweredTransactions)"],
            ["views", "\(limits.views)"],
            ["view_elements", "\(limits.viewElements)"],
            ["transaction_steps", "\(limits.transactionSteps)"],
        ]
        #expect(try table("limit", in: "limits.md").map { Array($0.prefix(2)) } == expected)
    }

    @Test("the two sides use the newest version that both know")
    func versions() {
        #expect(WireProtocol.version(for: Hello(minimumVersion: 1, maximumVersion: 1)) == 1)
        #expect(WireProtocol.version(for: Hello(minimumVersion: 0, maximumVersion: 9)) == 1)
        #expect(WireProtocol.version(for: Hello(minimumVersion: 2, maximumVersion: 9)) == nil)
        #expect(WireProtocol.version(for: Hello(minimumVersion: 0, maximumVersion: 0)) == nil)
        #expect(WireProtocol.version(for: Hello(minimumVersion: 9, maximumVersion: 1)) == nil)
    }

    private func yes(_ flag: Bool) -> String { flag ? "yes" : "no" }

    /// The rows of the table whose first column has the heading `title`. Cells come without code
    /// marks, and the first cell only up to a colon.
    private func table(_ title: String, in file: String) throws -> [[String]] {
        let text = try String(contentsOf: protocolFolder.appending(path: file), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let head = try #require(lines.firstIndex { $0.hasPrefix("| \(title) |") })
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { cell in
                let plain = cell.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
                return String(plain.prefix { $0 != ":" })
            }
        }
    }
}
