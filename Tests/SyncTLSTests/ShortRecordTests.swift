import SyncIO
import Testing

@testable import SyncTLS

/// Records with little data, of which one read of the stream below has thousands.
@Suite("Short records")
struct ShortRecordTests {
    private static let count = 10 * TLSStream.recordsAtOnce

    /// - Returns: the scene, and so many records of a byte each in one read.
    private func makeScene(_ count: Int = count) throws -> (scene: Scene, records: [UInt8]) {
        let scene = try Scene()
        scene.exchange()
        for number in 0..<count { scene.peer.write([UInt8(truncatingIfNeeded: number)]) }
        return (scene, scene.peer.takeOutput())
    }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    @Test("a few are decrypted at a time, and the rest follows in the next turns")
    func turns() throws {
        let (scene, records) = try makeScene()
        let before = scene.below.receivedBytes + records.count
        scene.below.send([records, [0]])
        var turns = 0
        var received = 0
        while scene.notes.received.count < Self.count, turns < 100 {
            scene.simulation.run { scene.notes.received.count > received }
            let more = scene.notes.received.count - received
            #expect(more <= TLSStream.recordsAtOnce)
            #expect(scene.below.receivedBytes == before, "nothing is read meanwhile")
            received += more
            turns += 1
        }
        #expect(turns == 10)
        #expect(scene.notes.received == bytes(Self.count))
        #expect(scene.stream.takeRecordCount() == Self.count)
        #expect(scene.stream.takeRecordCount() == 0)
        scene.simulation.runUntilIdle()
        #expect(scene.below.receivedBytes == before + 1)
        #expect(scene.notes.closes.isEmpty)
    }

    @Test("a pause comes between them, and they keep their order")
    func pause() throws {
        let (scene, records) = try makeScene()
        scene.below.send([records])
        scene.simulation.run { !scene.notes.received.isEmpty }
        scene.stream.isReadingPaused = true
        let before = scene.notes.received.count
        scene.simulation.run(forMilliseconds: 100)
        #expect(before < Self.count && scene.notes.received.count == before)
        scene.peer.write([1, 2, 3])
        scene.below.send([scene.peer.takeOutput()])
        scene.stream.isReadingPaused = false
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received == bytes(Self.count) + [1, 2, 3])
    }

    @Test("what is left of them is dropped when the stream closes")
    func close() throws {
        let (scene, records) = try makeScene()
        scene.below.send([records])
        scene.simulation.run { !scene.notes.received.isEmpty }
        scene.stream.close()
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received.count == TLSStream.recordsAtOnce)
        #expect(scene.notes.closes.count == 1)
    }

    @Test("an end behind them comes last")
    func ending() throws {
        let (scene, _) = try makeScene(0)
        for number in 0..<Self.count { scene.peer.write([UInt8(truncatingIfNeeded: number)]) }
        scene.peer.end()
        scene.below.send([scene.peer.takeOutput()])
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received == bytes(Self.count))
        #expect(scene.notes.closes.count == 1)
    }
}
