import SyncBytes
import SyncIO
import Testing

@testable import SyncWebSocket

/// What a stranger sends that is small, and should be much work or much memory.
@Suite("Limits of WebSockets")
struct LimitTests {
    private static let count = 10 * WebSocketStream.framesAtOnce

    /// One read of many frames of a byte each.
    private static let frames = (0..<count).flatMap {
        Frame(Frame.binary, [UInt8(truncatingIfNeeded: $0)]).bytes()
    }
    private static let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }

    @Test("a few frames are read at a time, and the rest follows in the next turns")
    func turns() throws {
        let scene = try Scene(.bytes)
        scene.below.send([Self.frames, Frame(Frame.binary, [0]).bytes()])
        var received = 0
        var turns = 0
        while received < Self.count, turns < 100 {
            scene.simulation.run { scene.notes.received.count > received }
            #expect(scene.notes.received.count - received <= WebSocketStream.framesAtOnce)
            #expect(scene.below.receivedBytes == Self.frames.count, "nothing is read meanwhile")
            received = scene.notes.received.count
            turns += 1
        }
        #expect(turns == 10)
        #expect(scene.notes.received == Self.bytes)
        #expect(scene.stream.takeRecordCount() == Self.count / WebSocketStream.framesPerRecord)
        #expect(scene.stream.takeRecordCount() == 0)
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received.count == Self.count + 1)
    }

    @Test("a pause comes between them, and they keep their order")
    func pause() throws {
        let scene = try Scene(.bytes)
        scene.below.send([Self.frames, Frame(Frame.binary, [1, 2, 3]).bytes()])
        scene.simulation.run { !scene.notes.received.isEmpty }
        scene.stream.isReadingPaused = true
        let before = scene.notes.received.count
        scene.simulation.run(forMilliseconds: 100)
        #expect(before < Self.count && scene.notes.received.count == before)
        #expect(scene.stream.memoryBytes > Self.frames.count / 2, "the rest is counted")
        scene.stream.isReadingPaused = false
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received == Self.bytes + [1, 2, 3])
    }

    @Test("the rest is dropped when the stream closes")
    func close() throws {
        let scene = try Scene(.bytes)
        scene.below.send([Self.frames])
        scene.simulation.run { !scene.notes.received.isEmpty }
        scene.stream.close()
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received.count == WebSocketStream.framesAtOnce)
        #expect(scene.notes.closes == [nil])
    }

    @Test("a frame counts, whatever its length")
    func counting() throws {
        let scene = try Scene(.bytes)
        let least = WebSocketStream.framesPerRecord
        for _ in 0..<least - 1 { scene.send(Frame(Frame.binary, [1])) }
        #expect(scene.stream.takeRecordCount() == 0)
        scene.send(Frame(Frame.ping))
        #expect(scene.stream.takeRecordCount() == 1)
    }

    @Test(
        "frames without data are bounded",
        arguments: [
            Frame(Frame.ping), Frame(Frame.pong, [1]), Frame(Frame.binary),
            Frame(Frame.ping, [UInt8](repeating: 1, count: 125)),
        ])
    func idleFrames(_ frame: Frame) throws {
        let scene = try Scene(.bytes)
        for _ in 0..<32 { scene.below.send([frame.bytes()]) }
        scene.simulation.runUntilIdle()
        #expect(!scene.below.isFinished)
        scene.send(frame)
        let last = try #require(try scene.takeFrames().last)
        #expect(last.opcode == Frame.close && last.data.prefix(2) == [3, 0xF0])
        scene.simulation.run(forMilliseconds: 2000)
        #expect(scene.notes.closes.first??.description.contains("without data") == true)
    }

    @Test("empty fragments are bounded, also in one read")
    func idleFragments() throws {
        let scene = try Scene(.lines)
        let first = Frame(Frame.text, isFinal: false).bytes()
        let next = Frame(Frame.continuation, isFinal: false).bytes()
        scene.send([first + (0..<31).flatMap { _ in next }])
        #expect(!scene.below.isFinished)
        scene.send([next + next])
        #expect(scene.below.isFinished)
    }

    @Test("time gives credit for pings, and so do messages")
    func credit() throws {
        let scene = try Scene(.bytes)
        for _ in 0..<1000 {
            scene.below.send([Frame(Frame.ping, [1]).bytes()])
            scene.simulation.run(forMilliseconds: 1000)
        }
        for _ in 0..<1000 {
            scene.below.send([
                Frame(Frame.binary, [1], isFinal: false).bytes(),
                Frame(Frame.continuation).bytes(),
            ])
        }
        scene.simulation.runUntilIdle()
        #expect(!scene.below.isFinished)
        #expect(scene.notes.received.count == 1000)
    }

    @Test("answers to pings do not pile up while the stream below can't write")
    func answers() throws {
        var output = WebSocketStream.Output(MessageWriter(.bytes, makeMask: nil))
        for number in 0..<100 { output.answer([UInt8(number)]) }
        let taken = output.take()
        let frames = try #require(taken)
        let bytes = frames.flatMap(\.array)
        #expect(Frame.all(in: bytes) == [Frame(Frame.pong, [99], isMasked: false)])
        let rest = output.take()
        #expect(rest == nil)
    }

    @Test("an idle stream keeps no buffers, and a frame under way has a small one")
    func memory() throws {
        let scene = try Scene(.bytes)
        #expect(scene.stream.memoryBytes == WebSocketStream.idleBytes)
        let bytes = Frame(Frame.binary, [1, 2, 3]).bytes()
        for count in 1..<bytes.count {
            scene.send([[bytes[count - 1]]])
            let memory = scene.stream.memoryBytes
            #expect((4096..<6000).contains(memory), "after \(count) bytes: \(memory)")
        }
        scene.send([[bytes[bytes.count - 1]]])
        #expect(scene.stream.memoryBytes == WebSocketStream.idleBytes)
        scene.send([Frame(Frame.binary, [1, 2, 3]).bytes(claiming: 1 << 40)])
        #expect(scene.stream.memoryBytes < 6000)
        #expect(scene.notes.received == [1, 2, 3, 1, 2, 3])
        scene.stream.close()
        #expect(scene.stream.memoryBytes == WebSocketStream.idleBytes)
    }
}
