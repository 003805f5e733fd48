import SyncIO
import Testing

@Suite("A turn of the system's loop ends, however much is ready")
struct TurnEndTests {
    /// Records what was done between the ends of turns.
    private final class Turns {
        private let loop: any EventLoop
        private(set) var counts = [0]
        private var isEndAsked = false

        init(on loop: any EventLoop) {
            self.loop = loop
        }

        var total: Int { counts.reduce(0, +) }

        func note() {
            counts[counts.count - 1] += 1
            guard !isEndAsked else { return }
            isEndAsked = true
            loop.atEndOfTurn { [self] in
                isEndAsked = false
                counts.append(0)
            }
        }
    }

    @Test func behindSomeHundredLetters() throws {
        let (order, counts): ([Int], [Int]) = try World.system.run { loop, _, finish in
            let turns = Turns(on: loop)
            var order: [Int] = []
            let note = Unshared<Int> { number in
                turns.note()
                order.append(number)
                if order.count == 2000 { finish((order, turns.counts)) }
            }
            let mailbox = loop.mailbox
            for number in 0..<1000 {
                mailbox.post {
                    note.call(number)
                    mailbox.post { note.call(1000 + number) }
                }
            }
        }
        #expect(order == Array(0..<2000))
        #expect(counts.max() ?? .max <= 256)
    }

    @Test func behindSomeHundredConnectionsThatAreReadAndThatEnd() throws {
        let (reads, ends): ([Int], [Int]) = try World.system.run { loop, _, finish in
            let pairs = 700
            let (reads, ends) = (Turns(on: loop), Turns(on: loop))
            var (clients, servers): ([Recorder], [Recorder]) = ([], [])

            // All ends come at the same time, too.
            func endAll() {
                for client in clients { client.close() }
                loop.schedule(afterMilliseconds: 200) {
                    for server in servers {
                        server.onClose = { _ in
                            ends.note()
                            if ends.total == pairs { finish((reads.counts, ends.counts)) }
                        }
                        server.stream.isReadingPaused = false
                    }
                }
            }
            func readAll() {
                for server in servers {
                    server.onReceive = { server in
                        server.stream.isReadingPaused = true
                        reads.note()
                        if reads.total == pairs { endAll() }
                    }
                    server.stream.isReadingPaused = false
                }
            }
            func begin() {
                guard clients.count == pairs, servers.count == pairs else { return }
                for server in servers { server.stream.isReadingPaused = true }
                for client in clients { client.write([1]) }
                loop.schedule(afterMilliseconds: 200) { readAll() }
            }
            let listener = try loop.listen(on: .anyPort) { stream in
                servers.append(Recorder(opening: stream))
                begin()
            }
            for _ in 0..<pairs {
                loop.connect(to: listener.address) { result in
                    guard let stream = try? result.get() else { return loop.stop() }
                    clients.append(Recorder(opening: stream))
                    begin()
                }
            }
        }
        #expect(reads.reduce(0, +) == 700)
        #expect(reads.max() ?? .max <= 256)
        #expect(ends.reduce(0, +) == 700)
        // Connections whose ends were read in one poll, which is two turns at most, are closed
        // together.
        #expect(ends.max() ?? .max <= 512)
    }
}
