import SyncBytes
import SyncIO
import Testing

@testable import SyncWebSocket

@Suite("Frames of what is written")
struct WritingTests {
    private static func lines(_ frames: [Frame]) -> [String] {
        frames.map {
            "\($0.opcode)\($0.isFinal ? "." : "…")" + String(decoding: $0.data, as: UTF8.self)
        }
    }

    @Test("a write of bytes is one message, masked if it is a client's", arguments: [true, false])
    func bytes(isServer: Bool) throws {
        for count in [1, 3, 125, 126, 127, 512, 513, 65_535, 65_536, 200_001] {
            let scene = try Scene(.bytes, isServer: isServer)
            let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let cut = count / 3
            scene.stream.write([
                SharedBytes(Array(data[..<cut])), SharedBytes([]), SharedBytes(Array(data[cut...])),
            ])
            scene.simulation.runUntilIdle()
            #expect(try scene.takeFrames() == [Frame(Frame.binary, data, isMasked: !isServer)])
            #expect(scene.notes.drains == 1)
        }
    }

    @Test("no two masks of a client are the same")
    func masks() throws {
        let scene = try Scene(.bytes, isServer: false)
        var masks: Set<[UInt8]> = []
        for _ in 0..<20 {
            scene.write("abcd")
            masks.insert(Array(scene.below.takeWritten()[2..<6]))
        }
        #expect(masks.count == 20)
    }

    @Test("an empty write sends nothing, and has its drain", arguments: WebSocketProtocol.allCases)
    func empty(_ kind: WebSocketProtocol) throws {
        let scene = try Scene(kind)
        scene.stream.write([])
        #expect(scene.notes.drains == 0)
        scene.simulation.runUntilIdle()
        scene.write("", "")
        #expect(try scene.takeFrames() == [])
        #expect(scene.notes.drains == 2)
    }

    @Test("each line is a message, and one that has no end goes on in the next write")
    func lines() throws {
        let scene = try Scene(.lines)
        scene.write("{}\n", "[1", "]\n\n")
        #expect(WritingTests.lines(try scene.takeFrames()) == ["1.{}", "1.[1]", "1."])
        scene.write("{", "\"a\"")
        #expect(WritingTests.lines(try scene.takeFrames()) == ["1…{\"a\""])
        scene.write(":")
        #expect(WritingTests.lines(try scene.takeFrames()) == ["0…:"])
        scene.write("1}\n{}\n[")
        #expect(WritingTests.lines(try scene.takeFrames()) == ["0.1}", "1.{}", "1…["])
        scene.write("\n")
        #expect(WritingTests.lines(try scene.takeFrames()) == ["0."])
        #expect(scene.notes.drains == 5)
    }

    @Test("what is long in a server's data is not copied", arguments: WebSocketProtocol.allCases)
    func copies(_ kind: WebSocketProtocol) {
        var writer = MessageWriter(kind, makeMask: nil)
        let parts = [
            SharedBytes([UInt8](repeating: 0x61, count: 1000)), SharedBytes(Array("b\nc".utf8)),
        ]
        let frames = writer.frames(of: parts)
        #expect(frames.filter { $0 === parts[0] }.count == 1)
        let own = parts.map { UInt(bitPattern: $0.bytes.baseAddress) }
        let data = frames.filter { frame in
            let address = UInt(bitPattern: frame.bytes.baseAddress)
            return zip(own, parts).contains { $0..<$0 + UInt($1.count) ~= address }
        }
        #expect(data.count == 1)
        #expect(frames.count == 3, "headers and short data are copied together")
    }

    @Test("a pong comes between the writes, and is no drain")
    func pong() throws {
        let scene = try Scene(.bytes)
        scene.stream.write([SharedBytes([1])])
        scene.below.send([Frame(Frame.ping, [5]).bytes(), Frame(Frame.ping, [6]).bytes()])
        scene.simulation.runUntilIdle()
        #expect(scene.notes.drains == 1)
        let frames = try scene.takeFrames()
        #expect(frames.first == Frame(Frame.binary, [1], isMasked: false))
        #expect(frames.last == Frame(Frame.pong, [6], isMasked: false))
        scene.send(Frame(Frame.ping, [7]))
        #expect(scene.notes.drains == 1)
    }

    @Test("a write behind a pong waits for it")
    func behindPong() throws {
        let scene = try Scene(.bytes)
        scene.notes.onReceive = { scene.stream.write([SharedBytes([1])]) }
        scene.below.send([Frame(Frame.ping, [5]).bytes() + Frame(Frame.binary, [9]).bytes()])
        scene.simulation.runUntilIdle()
        #expect(scene.notes.drains == 1)
        let frames = try scene.takeFrames()
        #expect(frames.count == 2)
        scene.notes.onReceive = {}
        scene.send(Frame(Frame.ping, [5]))
        scene.below.send([Frame(Frame.ping, [6]).bytes()])
        scene.simulation.run { scene.below.isWriting }
        scene.stream.write([SharedBytes([2])])
        scene.stream.isReadingPaused = true
        scene.simulation.runUntilIdle()
        #expect(scene.notes.drains == 2)
        #expect(try scene.takeFrames().last == Frame(Frame.binary, [2], isMasked: false))
    }
}
