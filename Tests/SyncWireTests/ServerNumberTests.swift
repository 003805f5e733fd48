import SwiftProtobuf
import SyncModel
import SyncWire
import Testing

/// A client does not take over whole numbers that no server makes.
@Suite("Whole numbers of a server")
struct ServerNumberTests {
    /// A place of a number in a message.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: ServerMessageKind
        let set: @Sendable (inout Collsync_V1_Frame, UInt64) -> Void

        init(
            _ kind: ServerMessageKind, _ name: String,
            _ set: @escaping @Sendable (inout Collsync_V1_Frame, UInt64) -> Void
        ) {
            self.kind = kind
            testDescription = "\(kind) \(name)"
            self.set = set
        }
    }

    static let places: [Place] = [
        Place(.welcome, "token") { $0.welcome.tokenMilliseconds = $1 },
        Place(.renewed, "token") { $0.renewed.tokenMilliseconds = $1 },
        Place(.joined, "revision") { $0.joined.revision = $1 },
        Place(.joined, "counter") { $0.joined.counter = $1 },
        Place(.joined, "answered through") { $0.joined.answeredThrough = $1 },
        Place(.joined, "epoch") { frame, number in
            let newest = frame.joined.identity.epochs.count - 1
            frame.joined.identity.epochs[newest].first = number
        },
        Place(.snapshot, "revision") { $0.snapshot.revision = $1 },
        Place(.snapshot, "items") { $0.snapshot.totalItems = $1 },
        Place(.ack, "counter") { $0.ack.counter = $1 },
        Place(.ack, "revision") { $0.ack.revision = $1 },
        Place(.batch, "from") { $0.batch.from = $1 },
        Place(.batch, "to") { $0.batch.to = $1 },
        Place(.authors, "revision") { $0.authors.transactions[0].revision = $1 },
        Place(.authors, "counter") { $0.authors.transactions[0].counter = $1 },
        Place(.roomList, "revision") { $0.roomList.rooms[0].revision = $1 },
        Place(.items, "revision") { $0.items.revision = $1 },
        Place(.stats, "revision") { $0.stats.revision = $1 },
        Place(.stats, "horizon") { $0.stats.horizon = $1 },
        Place(.stats, "oldest") { $0.stats.oldestRevision = $1 },
        Place(.stats, "snapshot") { $0.stats.snapshotRevision = $1 },
        Place(.stats, "figure") { $0.stats.figures[0].value = $1 },
        Place(.viewUpdate, "revision") { $0.viewUpdate.revision = $1 },
        Place(.viewUpdate, "number") { $0.viewHead.number = $1 },
        Place(.viewUpdate, "serial") { $0.viewHead.serial = $1 },
        Place(.dragTarget, "update") { $0.dragTarget.update = $1 },
        Place(.nearLimit, "used") { $0.nearLimit.used = $1 },
        Place(.nearLimit, "limit") { $0.nearLimit.limit = $1 },
    ]

    @Test("the greatest is read and one more is not", arguments: places)
    func bound(place: Place) throws {
        let messages = try ExampleMessages.server() + ExampleMessages.serverDrags()
        let example = try #require(
            messages.last { ServerMessageKind($0.message) == place.kind }?.message)
        let frame = try Collsync_V1_Frame(serializedBytes: example.bytes())
        func outcome(_ number: UInt64) throws -> ErrorCode? {
            var frame = frame
            place.set(&frame, number)
            let bytes: [UInt8] = try frame.serializedBytes()
            do {
                _ = try bytes.withUnsafeBytes { try MessageDecoder().serverMessage($0) }
                return nil
            } catch let error as WireError {
                return error.message.code
            }
        }
        #expect(try outcome((1 << 53) - 1) == nil)
        #expect(try outcome(1 << 53) == .badMessage)
        #expect(try outcome(.max) == .badMessage)
    }

    /// A client that has sent a number that is too great is told which.
    @Test("a refusal repeats any number")
    func refusals() throws {
        let rejection = Rejection(code: .malformed, message: "no")
        let messages: [ServerMessage] = [
            .reject(Reject(room: 1, counter: .max, rejection: rejection)),
            .error(ErrorMessage(.badMessage, "no", about: .transaction(.max, in: 1))),
            .error(ErrorMessage(.badView, "no", about: .view(1, serial: .max, in: 1))),
        ]
        for message in messages {
            let read = try message.bytes().withUnsafeBytes {
                try MessageDecoder().serverMessage($0)
            }
            #expect(read == message)
        }
    }
}
