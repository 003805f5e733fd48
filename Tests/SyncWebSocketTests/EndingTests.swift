import SyncBytes
import SyncIO
import Testing

@testable import SyncWebSocket

@Suite("The end of a WebSocket")
struct EndingTests {
    @Test("a closing frame is answered by its code, once, and the stream below ends")
    func answered() throws {
        let scene = try Scene(.bytes)
        scene.send(.close(4000), .close(4001), Frame(Frame.ping))
        var answer = Frame.close(4000)
        answer.isMasked = false
        #expect(try scene.takeFrames() == [answer])
        #expect(scene.below.isFinished)
        scene.write("late")
        #expect(try scene.takeFrames() == [])
    }

    @Test("after its own closing frame a stream reads on, and sends nothing")
    func finishing() throws {
        let scene = try Scene(.bytes)
        scene.stream.finishWriting()
        scene.send(Frame(Frame.binary, [0x61]), Frame(Frame.ping, [1]))
        scene.write("late")
        #expect(scene.notes.text == "a")
        #expect(!scene.below.isFinished, "the other side has not answered")
        scene.send(Frame(Frame.binary, [0x62]), .close(1000))
        #expect(scene.notes.text == "ab")
        #expect(scene.below.isFinished)
        var close = Frame.close(1000)
        close.isMasked = false
        #expect(try scene.takeFrames() == [close])
        scene.simulation.run(forMilliseconds: 2000)
        #expect(scene.notes.closes == [nil])
    }

    @Test("a peer that breaks a rule after that is told nothing more, and is closed")
    func breaking() throws {
        let scene = try Scene(.bytes)
        scene.stream.finishWriting()
        scene.send(Frame(Frame.binary, [1], isMasked: false))
        #expect(try scene.takeFrames().count == 1)
        scene.simulation.run(forMilliseconds: 2000)
        #expect(scene.notes.closes.first?.map(\.description)?.contains("masked") == true)
    }

    @Test("a stream that closes says that it goes away")
    func closing() throws {
        let scene = try Scene(.bytes)
        scene.stream.close()
        scene.stream.close()
        scene.simulation.runUntilIdle()
        var close = Frame.close(1001)
        close.isMasked = false
        #expect(try scene.takeFrames() == [close])
        #expect(scene.notes.closes == [nil])
    }

    @Test("a peer that never closes is closed after a second")
    func lingering() throws {
        let scene = try Scene(.bytes)
        scene.send(.close(1000))
        #expect(!scene.below.isClosed)
        scene.simulation.run(forMilliseconds: 1100)
        #expect(scene.below.isClosed)
        #expect(scene.notes.closes == [nil])
    }

    @Test("frames that came with the handshake are read when the stream is opened")
    func early() throws {
        let bytes = Frame(Frame.binary, [0x61]).bytes()
        let scene = try Scene(.bytes, received: bytes, isOpened: false)
        scene.send([Frame(Frame.binary, [0x62]).bytes()])
        #expect(scene.below.receivedBytes == 0, "nothing is read before")
        scene.stream.open(scene.notes)
        #expect(scene.notes.text == "")
        scene.simulation.runUntilIdle()
        #expect(scene.notes.text == "ab")
    }
}
