import SyncBytes
import SyncIO
import Testing

@Suite("Closing, on the system and simulated")
struct ClosingTests {
    @Test(arguments: World.all)
    func bothSidesHearOnceThatAStreamIsClosed(_ world: World) throws {
        let closes: [[IOError?]] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                var ended = 0
                let end: (Recorder) -> Void = { _ in
                    ended += 1
                    guard ended == 2 else { return }
                    // No callback may follow.
                    loop.schedule(afterMilliseconds: 20) {
                        let within = client.callbacksWithinCalls + server.callbacksWithinCalls
                        finish(within == 0 ? [client.closes, server.closes] : [])
                    }
                }
                client.onClose = end
                server.onClose = end
                client.close()
                client.close()
            }
        }
        #expect(closes == [[nil], [nil]])
    }

    @Test(arguments: World.all)
    func whatWasWrittenBeforeArrivesBeforeTheEnd(_ world: World) throws {
        let received: [UInt8] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                client.onDrain = { $0.close() }
                server.onClose = { finish($0.closes == [nil] ? $0.received : []) }
                client.write(Array("goodbye".utf8))
            }
        }
        #expect(received == Array("goodbye".utf8))
    }

    @Test(arguments: World.all)
    func whoFinishesWritingStillReads(_ world: World) throws {
        let received: [[UInt8]] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                server.onDrain = { server in
                    server.stream.finishWriting()
                    loop.schedule(afterMilliseconds: 20) {
                        // The client has been notified of the end by its system, so the end closes
                        // it.
                        finish([client.received, server.closes.isEmpty ? [] : [1]])
                    }
                }
                server.write(Array("goodbye".utf8))
            }
        }
        #expect(received == [Array("goodbye".utf8), [1]])
    }

    @Test(arguments: World.all)
    func whatIsNotTakenIsUnsent(_ world: World) throws {
        let unsent: [Int] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                server.stream.isReadingPaused = true
                let before = client.stream.unsentBytes
                var middle = 0
                client.onDrain = { client in
                    finish([before, middle, client.stream.unsentBytes])
                }
                client.write([UInt8](repeating: 7, count: 16_000_000))
                loop.schedule(afterMilliseconds: 20) {
                    middle = client.stream.unsentBytes
                    server.stream.isReadingPaused = false
                }
            }
        }
        #expect(unsent[0] == 0 && unsent[2] == 0)
        #expect((1..<16_000_000).contains(unsent[1]))
    }

    @Test(arguments: World.all)
    func aClosedStreamDoesNothing(_ world: World) throws {
        let result: [Bool] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                client.close()
                client.write([1, 2, 3])
                client.stream.isReadingPaused = true
                client.stream.isReadingPaused = false
                let wasWriting = client.stream.isWriting
                client.onClose = { client in
                    client.write([4])
                    client.close()
                    let stillWriting = client.stream.isWriting
                    loop.schedule(afterMilliseconds: 20) {
                        finish([
                            wasWriting, stillWriting, client.drains == 0, client.closes.count == 1,
                            server.received.isEmpty,
                        ])
                    }
                }
            }
        }
        #expect(result == [false, false, true, true, true])
    }

    @Test(arguments: World.all)
    func closingWithAWriteInFlightDropsTheDrain(_ world: World) throws {
        let result: [Int] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                server.stream.isReadingPaused = true
                client.onClose = { client in
                    loop.schedule(afterMilliseconds: 20) {
                        finish([
                            client.drains, client.closes.count, client.stream.isWriting ? 1 : 0,
                        ])
                    }
                }
                client.write([UInt8](repeating: 7, count: 16_000_000))
                loop.schedule(afterMilliseconds: 5) { client.close() }
            }
        }
        #expect(result == [0, 1, 0])
    }

    @Test(arguments: World.all)
    func aStreamMayBeClosedInItsCallbacks(_ world: World) throws {
        let closes: [Int] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                var ended: [Int] = []
                let end: (Recorder) -> Void = { recorder in
                    ended.append(recorder.closes.count)
                    if ended.count == 2 { finish(ended) }
                }
                client.onClose = end
                server.onClose = end
                client.onDrain = { $0.close() }
                server.onReceive = { $0.close() }
                client.write([UInt8](repeating: 1, count: 100))
            }
        }
        #expect(closes == [1, 1])
    }

    @Test(arguments: World.all)
    func aStreamThatNobodyOpensIsClosed(_ world: World) throws {
        let closes: [IOError?] = try world.run { loop, _, finish in
            let listener = try loop.listen(on: .anyPort) { _ in }
            loop.connect(to: listener.address) { result in
                switch result {
                case .success(let stream): Recorder(opening: stream).onClose = { finish($0.closes) }
                // A handshake notices it earlier.
                case .failure: if world.isSecured { finish([nil]) } else { loop.stop() }
                }
            }
        }
        #expect(closes == [nil])
    }

    @Test(arguments: World.all)
    func aLoopThatStopsClosesWhatIsOpen(_ world: World) throws {
        let notes = Notes()
        let _: Bool = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, listener in
                client.onClose = { client in
                    notes.add("closed \(client.closes == [nil])")
                    loop.schedule(afterMilliseconds: 1) { notes.add("a timer fired") }
                    loop.atEndOfTurn { notes.add("an action ran") }
                    loop.mailbox.post { notes.add("mail came") }
                    loop.connect(to: listener.address) { result in
                        if case .failure(.unreachable) = result { notes.add("not connected") }
                    }
                }
                server.onClose = { notes.add("closed \($0.closes == [nil])") }
                loop.schedule(afterMilliseconds: 1000) { notes.add("a timer fired") }
                finish()
                loop.connect(to: listener.address) { result in
                    if case .failure(.unreachable) = result { notes.add("not connected") }
                }
            }
        }
        #expect(
            notes.all.sorted() == ["closed true", "closed true", "not connected", "not connected"])
    }

    @Test(arguments: World.all)
    func aLoopMayStopBeforeItsFirstTurn(_ world: World) throws {
        #expect(try world.run { _, _, finish in finish() })
    }
}

/// Notes of what a test's loop did after its result was known. They are read when the loop has
/// ended.
private final class Notes: @unchecked Sendable {
    private(set) var all: [String] = []

    func add(_ note: String) {
        all.append(note)
    }
}
