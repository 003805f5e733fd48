import SyncIO
import Testing

@Suite("Turns, timers and mail, on the system and simulated")
struct LoopTests {
    @Test(arguments: World.all)
    func timersFireInTheOrderTheyAreDue(_ world: World) throws {
        let order: [String] = try world.run { loop, _, finish in
            var order: [String] = []
            loop.schedule(afterMilliseconds: 30) {
                order.append("30")
                finish(order)
            }
            loop.schedule(afterMilliseconds: 10) { order.append("10") }
            loop.schedule(afterMilliseconds: 20) { order.append("20") }
            loop.schedule(afterMilliseconds: 10) { order.append("10, later made") }
            loop.schedule(afterMilliseconds: 0) { order.append("0") }
            order.append("none yet")
        }
        #expect(order == ["none yet", "0", "10", "10, later made", "20", "30"])
    }

    @Test(arguments: World.all)
    func aCancelledTimerDoesNotFire(_ world: World) throws {
        let order: [String] = try world.run { loop, _, finish in
            var order: [String] = []
            let first = loop.schedule(afterMilliseconds: 10) { order.append("cancelled at once") }
            first.cancel()
            first.cancel()
            var second: (any Timer)?
            loop.schedule(afterMilliseconds: 10) {
                order.append("cancels the other")
                second?.cancel()
            }
            second = loop.schedule(afterMilliseconds: 10) { order.append("cancelled when due") }
            var third: (any Timer)?
            third = loop.schedule(afterMilliseconds: 15) {
                order.append("cancels itself")
                third?.cancel()
            }
            loop.schedule(afterMilliseconds: .max) { order.append("the end of time") }
            loop.schedule(afterMilliseconds: 20) {
                third?.cancel()
                finish(order)
            }
        }
        #expect(order == ["cancels the other", "cancels itself"])
    }

    @Test(arguments: World.all)
    func timersOfNoDelayLeaveRoomForOtherThings(_ world: World) throws {
        let mailCame: Bool = try world.run { loop, _, finish in
            var mailCame = false
            func again() {
                if mailCame { return finish(true) }
                loop.schedule(afterMilliseconds: 0) { again() }
            }
            again()
            let flag = Unshared { mailCame = true }
            loop.mailbox.post { flag.call(()) }
        }
        #expect(mailCame)
    }

    @Test(arguments: World.all)
    func theEndOfATurnComesAfterWhatAskedForItAndIsNotSleptOver(_ world: World) throws {
        let order: [String] = try world.run { loop, _, finish in
            var order: [String] = []
            // No other event comes: a loop that sleeps here wakes only at the end of the test.
            func chain(_ left: Int) {
                order.append("\(left)")
                guard left > 0 else { return finish(order) }
                loop.atEndOfTurn { chain(left - 1) }
                order.append("asked")
            }
            chain(3)
        }
        #expect(order == ["3", "asked", "2", "asked", "1", "asked", "0"])
    }

    @Test(arguments: World.all)
    func theEndOfATurnComesAfterTheInput(_ world: World) throws {
        let order: [String] = try world.run { loop, _, finish in
            try Pair.make(on: loop) { client, server, _ in
                var order: [String] = []
                server.onReceive = { server in
                    loop.atEndOfTurn {
                        order.append("end of turn")
                        server.write([1])
                        loop.atEndOfTurn { order.append("next end of turn") }
                    }
                    order.append("input")
                }
                server.onDrain = { _ in order.append("drained") }
                client.onReceive = { _ in finish(order) }
                client.write([1])
            }
        }
        #expect(order.prefix(2) == ["input", "end of turn"])
        #expect(order.count <= 4)
    }

    @Test(arguments: World.all)
    func lettersStayInOrder(_ world: World) throws {
        let letters: [Int] = try world.run { loop, _, finish in
            var letters: [Int] = []
            let note = Unshared<Int> { number in
                letters.append(number)
                if letters.count == 2000 { finish(letters) }
            }
            let mailbox = loop.mailbox
            for number in 0..<1000 {
                mailbox.post {
                    note.call(number)
                    mailbox.post { note.call(1000 + number) }
                }
            }
        }
        #expect(letters == Array(0..<2000))
    }

    @Test(arguments: World.all)
    func workersDoTheirJobsInOrderAndReportByMail(_ world: World) throws {
        let reports: [[Int]] = try world.run { loop, platform, finish in
            var reports: [[Int]] = [[], []]
            let note = Unshared<(Int, Int)> { worker, number in
                reports[worker].append(number)
                if reports.allSatisfy({ $0.count == 5000 }) { finish(reports) }
            }
            let mailbox = loop.mailbox
            for index in 0...1 {
                let worker = try platform.startWorker(named: "worker \(index)")
                for number in 0..<5000 {
                    worker.submit { mailbox.post { note.call((index, number)) } }
                }
                worker.finish()
                worker.submit { mailbox.post { note.call((index, -1)) } }
            }
        }
        #expect(reports == [Array(0..<5000), Array(0..<5000)])
    }

    @Test(arguments: World.all)
    func loopsSpeakByMail(_ world: World) throws {
        let count: Int = try world.run { loop, platform, finish in
            var count = 0
            let arrived = Unshared<OtherLoop> { other in
                count += 1
                if count < 500 { return other.mailbox.post { other.write() } }
                other.mailbox.post { other.stop.call(()) }
                finish(count)
            }
            let here = loop.mailbox
            try platform.startLoop(named: "other") { other in
                let stop = Unshared<Void> { other.stop() }
                OtherLoop(mailbox: other.mailbox, stop: stop, peer: here, arrived: arrived).write()
            }
        }
        #expect(count == 500)
    }

    @Test(arguments: World.all)
    func timeDoesNotGoBackAndChanceIsNotConstant(_ world: World) throws {
        let result: [Bool] = try world.run { loop, _, finish in
            let begun = loop.nowMilliseconds
            let (one, two) = (loop.random(), loop.random())
            loop.schedule(afterMilliseconds: 10) {
                finish([
                    loop.nowMilliseconds >= begun + 10, one != two,
                    loop.wallClockMilliseconds > 1_600_000_000_000,
                ])
            }
        }
        #expect(result == [true, true, true])
    }
}

private struct OtherLoop: Sendable {
    let mailbox: any Mailbox
    let stop: Unshared<Void>
    let peer: any Mailbox
    let arrived: Unshared<OtherLoop>

    func write() {
        peer.post { arrived.call(self) }
    }
}

/// A closure of one loop that a letter carries back to that loop.
final class Unshared<Value>: @unchecked Sendable {
    // Sendable, because it is called only on the loop's thread.
    private let body: (Value) -> Void

    init(_ body: @escaping (Value) -> Void) {
        self.body = body
    }

    func call(_ value: Value) {
        body(value)
    }
}
