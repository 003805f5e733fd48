import Glibc
import SyncBytes
import SyncIO
import SyncLoop
import Testing

extension SystemTests {
    /// The order in which a system loop reads connections that all have bytes to read.
    @Suite("Reading in turn", .serialized)
    struct FairReadingTests {
        /// What the test does with the connections.
        private struct Script {
            /// Called before the loop polls them.
            var begin: ([Recorder]) -> Void = { _ in }
            /// Called with the number of each connection that is read.
            var read: ([Recorder], Int) -> Void
            /// Called before, with the sockets of the other ends.
            var whenReady: ([Int32], Int) -> Void = { _, _ in }
        }

        /// Runs a loop whose connections have all sent bytes before any of them is read.
        ///
        /// - Parameter bytes: how many bytes each sends, as far as the system accepts them.
        private func run<Value: Sendable>(
            _ bytes: [Int], _ write: @escaping @Sendable (Finish<Value>) -> Script
        ) throws -> Value {
            let opened = Outcome<[Int32]>()
            defer { for socket in (try? opened.result?.get()) ?? [] { close(socket) } }
            return try World.system.run { loop, _, finish in
                let script = write(finish)
                var readers: [Recorder] = []
                var sockets: [Int32] = []
                let listener = try loop.listen(on: .anyPort) { stream in
                    let number = readers.count
                    stream.isReadingPaused = true
                    let reader = Recorder(opening: stream)
                    readers.append(reader)
                    reader.onReceive = { _ in
                        script.whenReady(sockets, number)
                        script.read(readers, number)
                    }
                    guard readers.count == bytes.count else { return }
                    for (socket, count) in zip(sockets, bytes) { RawSocket.send(count, to: socket) }
                    for reader in readers { reader.stream.isReadingPaused = false }
                    script.begin(readers)
                }
                sockets = bytes.map { _ in RawSocket.connect(to: listener.address) }
                opened.result = .success(sockets)
            }
        }

        @Test func whoeverSendsVeryMuchIsReadOnceBeforeTheOthers() throws {
            // Connections are accepted in the order in which they were made, and polled in that
            // order, too.
            let read: [Int] = try run([1 << 20, 1 << 20, 1]) { finish in
                var order: [Int] = []
                return Script { _, number in
                    order.append(number)
                    if number == 2 { finish(order) }
                }
            }
            #expect(read == [0, 1, 2])
        }

        @Test func allOfManyAreReadOnce() throws {
            // More connections than one poll reads.
            let count = 1300
            let twice: [Int] = try run([Int](repeating: 1, count: count)) { finish in
                var (left, twice) = (Set(0..<count), [Int]())
                return Script { _, number in
                    if left.remove(number) == nil { twice.append(number) }
                    if left.isEmpty { finish(twice) }
                }
            }
            #expect(twice == [])
        }

        @Test func whoComesBehindVeryManyIsReadSoon() throws {
            let count = 3000
            let place: Int = try run([Int](repeating: 1, count: count) + [0]) { finish in
                var read = 0
                return Script { _, number in
                    read += 1
                    if number == count { finish(read) }
                } whenReady: { sockets, number in
                    if number == 0 { RawSocket.send(1, to: sockets[count]) }
                }
            }
            // The rest of the first poll, and the second one.
            #expect(place <= 1024)
        }

        @Test func whoComesBehindManyThatEndIsReadSoon() throws {
            let count = 3000
            let closed: Int = try run([Int](repeating: 0, count: count) + [1, 0, 0]) { finish in
                var closes = 0
                return Script(
                    read: { readers, number in
                        if number == count {
                            for reader in readers { reader.onClose = { _ in closes += 1 } }
                        }
                        if number == count + 2 { finish(closes) }
                    },
                    whenReady: { sockets, number in
                        if number == count {
                            for socket in sockets[..<count] { shutdown(socket, Int32(SHUT_WR)) }
                        }
                        // The last connection sends when the loop has found those that ended.
                        if number < count + 2 { RawSocket.send(1, to: sockets[number + 1]) }
                    })
            }
            #expect(closed <= 512)
        }

        @Test func whoComesBehindManyThatTakeMuchIsReadSoon() throws {
            let count = 64
            let taken: Int = try run([Int](repeating: 0, count: count) + [1, 0]) { finish in
                let much = SharedBytes([UInt8](repeating: 1, count: 16 << 20))
                var unsent: [Int] = []
                return Script(
                    begin: { readers in
                        for reader in readers[..<count] { reader.write(parts: [much]) }
                    },
                    read: { readers, number in
                        let now = readers[..<count].map(\.stream.unsentBytes)
                        if number == count { unsent = now }
                        if number > count { finish(zip(unsent, now).count { $0 != $1 }) }
                    },
                    whenReady: { sockets, number in
                        guard number == count else { return }
                        for socket in sockets[..<count] { RawSocket.drain(socket) }
                        RawSocket.send(1, to: sockets[count + 1])
                    })
            }
            #expect(taken > 0)
            #expect(taken <= count / 2)
        }

        @Test func whoWaitsToBeReadMayPauseGoOnAndClose() throws {
            let count = 1300
            let unread: [Int] = try run([Int](repeating: 1, count: count)) { finish in
                var left = Set(0..<count)
                return Script { readers, number in
                    left.remove(number)
                    if left.count == count - 300 {
                        // These connections wait for a later poll.
                        for number in left.sorted().suffix(200) {
                            readers[number].stream.isReadingPaused = true
                        }
                    } else if left.count == count - 320 {
                        let waiting = left.sorted().suffix(200)
                        for number in waiting.prefix(150) {
                            readers[number].stream.isReadingPaused = false
                        }
                        for number in waiting.suffix(20) { readers[number].close() }
                    } else if left.count == 50 {
                        finish(left.sorted())
                    }
                }
            }
            #expect(unread == Array(count - 50..<count))
        }
    }
}
