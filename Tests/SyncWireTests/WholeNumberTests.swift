import Foundation
import SwiftProtobuf
import SyncModel
import SyncWire
import Testing

/// A client's whole numbers are within the exact range of a double, or are refused.
@Suite("Whole numbers of a client")
struct WholeNumberTests {
    /// A place of a number, and how a wrong number is refused there.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let frame: @Sendable (UInt64) -> Collsync_V1_Frame

        init(
            _ name: String, _ code: String,
            _ set: @escaping @Sendable (inout Collsync_V1_Frame, UInt64) -> Void
        ) {
            testDescription = name
            self.code = code
            frame = { number in
                var frame = Collsync_V1_Frame()
                set(&frame, number)
                return frame
            }
        }
    }

    private static func join(_ frame: inout Collsync_V1_Frame) {
        frame.join.room = "room1"
        frame.join.client = "ada"
    }

    private static func history(_ frame: inout Collsync_V1_Frame) {
        frame.readHistory.room = "room1"
    }

    static let places: [Place] = [
        Place("join from", "badContent") {
            join(&$0); $0.join.from = $1
        },
        Place("join counter", "badContent") {
            join(&$0); $0.join.counter = $1
        },
        Place("join answered through", "badContent") {
            join(&$0); $0.join.answeredThrough = $1
        },
        Place("submit counter", "malformed") { $0.submit.counter = $1 },
        Place("base", "malformed") { $0.submit.transaction.base = $1 },
        Place("index", "malformed") { frame, number in
            var operation = Collsync_V1_Operation()
            operation.move.id = "milk"
            operation.move.to.section = "main"
            operation.move.to.index = number
            frame.submit.transaction.operations = [operation]
        },
        Place("snapshot revision", "badContent") {
            $0.readSnapshot.room = "room1"
            $0.readSnapshot.revision = $1
        },
        Place("history from", "badContent") {
            history(&$0); $0.readHistory.from = $1
        },
        Place("history until", "badContent") {
            history(&$0); $0.readHistory.until = $1
        },
        Place("items revision", "badContent") {
            $0.readItems.room = "room1"
            $0.readItems.limit = 1
            $0.readItems.page = Collsync_V1_ItemPage()
            $0.readItems.revision = $1
        },
        Place("view seen", "badView") { $0.view.seen = $1 },
        Place("view serial", "badView") { $0.view.serial = $1 },
        Place("drag update", "badDrag") { $0.drag.update.number = $1 },
        Place("drag seen", "badDrag") { $0.drag.update.seen = $1 },
        Place("drag end", "badDrag") { $0.drag.end.counter = $1 },
    ]

    @Test("the greatest is accepted and one more is not", arguments: places)
    func bound(place: Place) throws {
        #expect(try outcome(of: place.frame((1 << 53) - 1)) == nil)
        #expect(try outcome(of: place.frame(1 << 53)) == place.code)
        #expect(try outcome(of: place.frame(.max)) == place.code)
    }

    @Test("a greater figure is sent as the greatest")
    func figures() throws {
        let room = try #require(RoomName("room1"))
        let stats = Stats(
            request: 1, room: room, identity: ExampleMessages.identity,
            figures: Figures { _ in .max }, server: Figures { _ in 3 }, account: Figures())
        let bytes = ServerMessage.stats(stats).bytes()
        let read = try Collsync_V1_Frame(serializedBytes: bytes)
        #expect(read.stats.figures.allSatisfy { $0.value == (1 << 53) - 1 })
        #expect(read.stats.server.allSatisfy { $0.value == 3 })
    }

    /// The code of the error or reject for a client's frame.
    private func outcome(of frame: Collsync_V1_Frame) throws -> String? {
        let bytes: [UInt8] = try frame.serializedBytes()
        do {
            let message = try bytes.withUnsafeBytes { try MessageDecoder().clientMessage($0) }
            switch message {
            case .view(let view): return view.fault == nil ? nil : "badView"
            case .drag(let drag): return drag.fault == nil ? nil : "badDrag"
            default: return nil
            }
        } catch WireError.refusedSubmit(_, _, let rejection) {
            return rejection.code.name
        } catch let error as WireError {
            return error.message.code.rawValue
        }
    }
}
