import SyncBytes
import SyncModel
import SyncRoom
import Testing

@testable import SyncServer

/// The traces of a room's transactions are bounded.
@Suite struct TracedTransactionsTests {
    private final class Lines: ServerLog, @unchecked Sendable {
        var details: [[String: String]] = []

        func log(
            _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
        ) {
            #expect(level == .debug)
            self.details.append(Dictionary(uniqueKeysWithValues: details.map { $0 }))
        }
    }

    private func trace(_ number: Int) throws -> TraceParent {
        let digits = String(number + 1, radix: 16)
        let id = String(repeating: "0", count: 32 - digits.count) + digits
        return try #require(
            TraceParent(ForeignText(bounded: "00-\(id)-00000000000000a1-00")))
    }

    @Test func idsAreWrittenAsTheyCame() throws {
        #expect(try trace(30).traceID == "0000000000000000000000000000001f")
        #expect(try trace(30).parentID == "00000000000000a1")
    }

    @Test func onlyTheLastOnesWait() throws {
        let traced = TracedTransactions()
        let connection = ConnectionID(value: 7)
        for number in 0..<100 {
            traced.add(try trace(number), UInt64(number), of: connection)
        }
        let waiting = traced.waitingTraces.split(separator: " ")
        #expect(waiting.count == TracedTransactions.mostInLine)
        #expect(try waiting.first.map { String($0) } == trace(68).traceID)
        traced.forget(ConnectionID(value: 8))
        #expect(!traced.isEmpty)
        traced.forget(connection)
        #expect(traced.isEmpty)
    }

    @Test func aLineHasFewTraces() throws {
        let traced = TracedTransactions()
        let (connection, lines) = (ConnectionID(value: 7), Lines())
        let room = try #require(RoomName("list"))
        for number in 1...20 {
            traced.add(try trace(number), UInt64(number), of: connection)
        }
        traced.noteAnswers(to: ConnectionID(value: 8)) { .committed(Commit(revision: $0)) }
        traced.log(of: room, to: lines)
        #expect(lines.details.isEmpty)
        traced.noteAnswers(to: connection) { .committed(Commit(revision: 100 + $0)) }
        traced.log(of: room, to: lines)
        traced.log(of: room, to: lines)
        #expect(lines.details.count == 1)
        let line = try #require(lines.details.first)
        #expect(line["room"] == "list" && line["without"] == "4")
        #expect(line["revisions"]?.split(separator: " ").first == "101")
        #expect(line["traces"]?.split(separator: " ").count == 16)
        #expect(traced.isEmpty)
    }
}
