import EngineTwin
import ModelSupport
import SyncBytes
import SyncIO
import SyncJSON
import SyncModel
import SyncSim
import SyncWire
import Synchronization
import Testing

@testable import SyncRoom
@testable import SyncServer

/// Changes of a room are packed once, and encoded once for each encoding in use, even one the
/// server does not know.
@Suite("Frames as JSON")
struct JSONEncodingTests {
    /// Encodes frames as lines of JSON. A part of a snapshot that continues a section begins with a
    /// section of a special name.
    private final class JSONEncoder: FrameEncoder {
        static let continued = ModelSupport.id("(continued)")
        let encoding: FrameEncoding
        let thresholdBytes = 0
        private let written: Box<Int>

        init(_ encoding: FrameEncoding, counting written: Box<Int>) {
            self.encoding = encoding
            self.written = written
        }

        static func encoding(counting written: Box<Int>) -> FrameEncoding {
            // An encoder has an inner one of its own kind, because `make` may be called inside
            // `make`.
            FrameEncoding(number: 9, growth: 16) {
                JSONEncoder(encoding(counting: written), counting: written)
            }
        }

        func encode(_ body: UnsafeRawBufferPointer) -> SharedBytes? {
            written.value += 1
            var writer = JSONWriter()
            do {
                switch try MessageDecoder().serverMessage(body) {
                case .snapshot(let part):
                    writer.beginSnapshot(room: "", revision: part.revision)
                    for piece in part.pieces {
                        writer.begin(piece.section ?? ListSection(id: JSONEncoder.continued))
                        for item in piece.items { writer.write(item) }
                        writer.endSection()
                    }
                    writer.endSnapshot()
                case .batch(let message):
                    #expect(!message.hasMore && !message.isContinued, "a part of a batch")
                    writer.write(.batch(message.batch))
                default: return nil
                }
            } catch {
                Issue.record("\(error)")
                return nil
            }
            return SharedBytes(copying: writer.bytes)
        }
    }

    /// Rebuilds the room from JSON.
    private final class Reader: Recorder, @unchecked Sendable {
        private(set) var snapshot: Snapshot?
        private(set) var lines = 0
        /// The answer to a request.
        private(set) var read: Snapshot?

        override func take(_ part: SharedBytes, of channel: Channel) {
            lines += 1
            do {
                let line = try withExtendedLifetime(part) { try ServerLine(line: part.bytes) }
                switch (line, channel) {
                case (.snapshot(_, let part), .room):
                    snapshot = JSONEncodingTests.join(snapshot, part)
                case (.snapshot(_, let part), .request): read = JSONEncodingTests.join(read, part)
                case (.batch(let batch), .room):
                    snapshot = try LegalityChecker.apply(batch, to: try #require(snapshot))
                default: Issue.record("it gets an unexpected message")
                }
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    /// Appends a part to the parts of a snapshot so far.
    private static func join(_ former: Snapshot?, _ part: Snapshot) -> Snapshot {
        guard var whole = former, whole.revision == part.revision else { return part }
        for section in part.sections {
            if section.section.id == JSONEncoder.continued {
                whole.sections[whole.sections.count - 1].items += section.items
            } else {
                whole.sections.append(section)
            }
        }
        return whole
    }

    @Test(
        "snapshots and batches reach members and readers through their feeds",
        arguments: 1...2)
    func room(threads: Int) throws {
        let world = try World { $0.threads = threads }
        let (anna, room) = try world.join("anna")
        let name = try #require(RoomName("room"))
        for number in 1...40 as ClosedRange<UInt64> {
            anna.submit(
                number, in: room, base: number - 1, (0..<100).map { .insert("i\(number)-\($0)") })
        }
        #expect(world.run { anna.revision(room) == 40 })
        let written = Box(0)
        let encoding = JSONEncoder.encoding(counting: written)
        let handle = try #require(world.server?.loops.withLock { $0.last })
        let box = Box<[Reader]>([])
        handle.post { loop in
            box.value = ["r1", "r2"].map { Reader($0, on: loop, encoding: encoding) }
            for reader in box.value { reader.join(name) }
        }
        #expect(
            world.run {
                box.value.count == 2 && box.value.allSatisfy { $0.snapshot?.revision == 40 }
            })
        for number in 41...60 as ClosedRange<UInt64> {
            anna.submit(
                number, in: room, base: number - 1,
                [.delete(id("i\(number - 40)-7")), .insert("n\(number)")])
            world.run(forMilliseconds: 30)
        }
        #expect(world.run { box.value.allSatisfy { $0.snapshot?.revision == 60 } })
        let expected = try #require(anna.replicas[room]?.snapshot)
        for reader in box.value { #expect(reader.snapshot == expected) }
        #expect(box.value[0].lines > 20, "many batches, and a snapshot of parts")
        // Both joined at once, and were sent the same frames.
        #expect(written.value == box.value[0].lines && written.value == box.value[1].lines)
        handle.post { _ in
            for reader in box.value { reader.read(name, request: 7) }
        }
        #expect(world.run { box.value.allSatisfy { $0.finished[7] == .done(Done(request: 7)) } })
        for reader in box.value { #expect(reader.read == expected) }
    }
}
