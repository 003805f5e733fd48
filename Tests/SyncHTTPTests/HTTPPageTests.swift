import Foundation
import SyncWire
import Testing

@testable import SyncHTTP

/// The page of the protocol lists what there is, and nothing else.
@Suite struct HTTPPageTests {
    private func lines() throws -> [Substring] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Protocol/http.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    }

    @Test(arguments: ErrorCode.allCases)
    func thePageHasEachCodeAtItsStatus(_ code: ErrorCode) throws {
        let row = try lines().first { $0.hasPrefix("| `\(code.status)`") }
        #expect(row?.contains("`\(code.rawValue)`") == true, "\(code) \(code.status)")
    }

    @Test func thePageHasEachRoute() throws {
        let rows = try lines()
            .filter { row in
                ["GET", "POST", "PUT", "DELETE"].contains { row.hasPrefix("| `\($0)`") }
            }
            .map { row in
                row.split(separator: "|").prefix(3).map {
                    $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
                }
            }
        let routes = Route.allCases.map { route in
            [route.method, route.path, route.query.joined(separator: ", ")]
        }
        #expect(Set(rows) == Set(routes))
    }
}
