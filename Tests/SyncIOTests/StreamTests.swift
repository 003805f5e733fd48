import SyncBytes
import SyncIO
import Testing

@Suite("Streams, on the system and simulated")
struct StreamTests {
    /// A length that is no multiple of any buffer's size.
    private static let pattern = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    @Test(arguments: World.all)
    func bytesComeBackInOrder(_ world: World) throws {
        let received: [UInt8] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                server.onReceive = { server in
                    if server.received.count == 5 { server.write(server.received) }
                }
                client.onReceive = { client in
                    if client.received.count == 5 { finish(client.received) }
                }
                client.write(Array("hello".utf8))
            }
        }
        #expect(received == Array("hello".utf8))
    }

    @Test(arguments: World.all)
    func partsGoOutInOrderWithOneDrain(_ world: World) throws {
        let result: [Int] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                // More parts than one system call accepts, including empty ones.
                let parts = (0..<3000).map { number in
                    SharedBytes([UInt8](repeating: UInt8(number % 251), count: number % 7))
                }
                let expected = parts.flatMap { Array($0.bytes) }
                server.onReceive = { server in
                    guard server.received.count == expected.count else { return }
                    finish([server.received == expected ? 1 : 0, client.drains])
                }
                client.write(parts: parts)
            }
        }
        #expect(result[0] == 1)
        #expect(result[1] <= 1)
    }

    @Test(arguments: World.all)
    func everyWriteIsFollowedByOneDrainLater(_ world: World) throws {
        let result: [Int] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, _, _ in
                var writes = 0
                func next() {
                    writes += 1
                    // An empty write counts as a write, too.
                    client.write([UInt8](repeating: 1, count: writes % 3 * 100))
                }
                client.onDrain = { client in
                    guard client.drains == writes, !client.stream.isWriting else {
                        return finish([])
                    }
                    if writes < 1000 { return next() }
                    finish([writes, client.drains, client.callbacksWithinCalls])
                }
                next()
            }
        }
        #expect(result == [1000, 1000, 0])
    }

    @Test(arguments: World.all)
    func aWriteStaysInFlightUntilTheOtherSideReads(_ world: World) throws {
        // More than the buffers of both systems have room for.
        let parts = [SharedBytes](repeating: SharedBytes(StreamTests.pattern), count: 160)
        let expected = [[UInt8]](repeating: StreamTests.pattern, count: 160).flatMap { $0 }
        let result: [Bool] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                server.stream.isReadingPaused = true
                var wasWriting = false
                client.write(parts: parts)
                loop.schedule(afterMilliseconds: 20) {
                    wasWriting = client.stream.isWriting && server.received.isEmpty
                    server.call { server.stream.isReadingPaused = false }
                }
                server.onReceive = { server in
                    if server.received.count == expected.count, client.drains == 1 { end() }
                }
                client.onDrain = { _ in if server.received.count == expected.count { end() } }
                func end() {
                    finish([
                        wasWriting, server.received == expected, client.drains == 1,
                        client.callbacksWithinCalls + server.callbacksWithinCalls == 0,
                    ])
                }
            }
        }
        #expect(result == [true, true, true, true])
    }

    /// The memory that the system has for all connections is not one reader's.
    @Test func theSystemKeepsLittleForWhoDoesNotRead() throws {
        let count = 160 * StreamTests.pattern.count
        let accepted: Int = try World.system.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                server.stream.isReadingPaused = true
                client.write(
                    parts: [SharedBytes](
                        repeating: SharedBytes(StreamTests.pattern), count: 160))
                loop.schedule(afterMilliseconds: 200) {
                    finish(count - client.stream.unsentBytes)
                }
            }
        }
        #expect(accepted > 0 && accepted < 1 << 20, "\(accepted)")
    }

    /// Each is more than the systems take at once, and is begun when the one before is done.
    @Test(arguments: World.all)
    func largeWritesFollowEachOther(_ world: World) throws {
        let parts = [SharedBytes](repeating: SharedBytes(StreamTests.pattern), count: 160)
        let count = 3 * 160 * StreamTests.pattern.count
        let drains: Int = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                func endIfDone() {
                    if client.drains == 3, server.received.count == count { finish(client.drains) }
                }
                server.onReceive = { _ in endIfDone() }
                client.onDrain = { client in
                    if client.drains < 3 { client.write(parts: parts) } else { endIfDone() }
                }
                client.write(parts: parts)
            }
        }
        #expect(drains == 3)
    }

    @Test(arguments: World.all)
    func aPausedStreamReceivesNothingUntilItGoesOn(_ world: World) throws {
        let received: [String] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                var steps: [String] = []
                server.onReceive = { server in
                    steps.append(String(decoding: server.received, as: UTF8.self))
                    if server.received.count == 1 {
                        server.stream.isReadingPaused = true
                        client.write([0x62])
                        loop.schedule(afterMilliseconds: 20) {
                            steps.append("go on")
                            server.stream.isReadingPaused = false
                        }
                    } else {
                        finish(steps)
                    }
                }
                client.write([0x61])
            }
        }
        #expect(received == ["a", "go on", "ab"])
    }

    @Test(arguments: World.all)
    func aStreamMayBePausedBeforeItIsOpened(_ world: World) throws {
        let steps: [String] = try world.run { loop, _, finish in
            var steps: [String] = []
            let listener = try loop.listen(on: .anyPort) { stream in
                stream.isReadingPaused = true
                let server = Recorder(opening: stream)
                server.onReceive = { _ in
                    steps.append("read")
                    finish(steps)
                }
                loop.schedule(afterMilliseconds: 20) {
                    steps.append("go on")
                    server.stream.isReadingPaused = false
                }
            }
            loop.connect(to: listener.address) { result in
                guard let stream = try? result.get() else { return loop.stop() }
                Recorder(opening: stream).write([1])
            }
        }
        #expect(steps == ["go on", "read"])
    }
}
