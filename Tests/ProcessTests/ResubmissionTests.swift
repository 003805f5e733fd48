import Glibc
import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    @Suite struct ResubmissionTests {
        /// A committed transaction that is resent gets its first answer, even from a server that
        /// was killed in between, and is not applied again.
        @Test func answersSurviveARestart() throws {
            let server = try ServerProcess()
            let milk = Item(id: Identifier("milk"))
            let transactions: [[ListOperation]] = [
                [.insert(milk, to: Placement(section: Identifier("main")))],
                [.move(Identifier("nowhere"), to: Placement(section: Identifier("main")))],
                [.insert(milk, to: Placement(section: Identifier("main")))],
                [.increment(milk.id, field: Identifier("count"), by: 1)],
            ]
            let first = try answers(to: transactions, at: server)
            guard case .ack(let inserted) = first[0], case .reject(let refused) = first[1],
                case .ack(let lost) = first[2], case .ack = first[3]
            else {
                Issue.record("the answers are \(first)")
                return
            }
            #expect(inserted.commit == Commit(revision: 1))
            #expect(refused.rejection.code == .unknownItem)
            #expect(refused.rejection.operation == 0)
            #expect(lost.commit.superseded == [Superseded(operation: 0, reason: .exists)])

            #expect(try answers(to: transactions, at: server) == first)
            try server.kill()
            try server.restart()
            var later = try answers(to: transactions, at: server)
            // The log does not record why a transaction was refused. A later commit of its author
            // shows only that it was refused.
            guard case .reject(let known) = later[1] else {
                throw TestFailure("what was refused is answered with \(later[1])")
            }
            #expect(known.counter == 2 && known.rejection.code == .refused)
            later[1] = first[1]
            #expect(later == first)
            let room = try server.export("room1")
            #expect(room.revision == 3)
            #expect(room.item("milk")?["fields"]?["count"] == 1)
        }

        /// Nobody can use the id of a client that has written without its secret.
        @Test func secretsAreKept() throws {
            let server = try ServerProcess()
            let section = ListSection(id: Identifier("new"))
            let made: [[ListOperation]] = [[.insertSection(section, to: Placement())]]
            let first = try answers(to: made, at: server)
            for _ in 0..<2 {
                let thief = try WireConnection(port: server.port)
                let answer = try thief.ask(toJoin: "room1", as: "c-raw", secret: [2])
                guard case .error(let error) = answer else {
                    Issue.record("the wrong secret was answered with \(answer)")
                    return
                }
                #expect(error.code == .badSecret)
                try server.kill()
                try server.restart()
            }
            #expect(try answers(to: made, at: server) == first)
        }

        /// A program joins a new room, and edits it while the server is stopped.
        @Test func theFirstEditOfANewRoomIsKept() throws {
            let server = try ServerProcess()
            let client = try JoinProcess(
                "first", room: "new", at: server.address, mayLoseConnection: true)
            #expect(try server.terminate() == .exit(0))
            try client.submit(line: NewRoom.insert("eggs"))
            try server.restart()
            try client.readUntilAnswered()
            try client.read(until: "the item") { try $0.room.identifiers == ["eggs"] }
            try NewRoom.expectKept(client)
            #expect(try server.export("new").identifiers == ["eggs"])
            #expect(try client.finish() == .exit(0))
        }

        /// A program sleeps in a new room. The room is gone meanwhile, and another one writes into
        /// the one that takes its name.
        @Test func theFirstEditOfASleepingMemberIsKept() throws {
            let server = try ServerProcess()
            let client = try JoinProcess(
                "sleeper", room: "new", at: server.address, mayLoseConnection: true)
            client.send(signal: SIGSTOP)
            try server.kill()
            try server.restart()
            let other = try JoinProcess("other", room: "new", at: server.address)
            try other.submit(line: NewRoom.insert("milk"))
            try other.readUntilAnswered()
            try client.submit(line: NewRoom.insert("eggs"))
            client.send(signal: SIGCONT)
            try client.readUntilAnswered()
            try client.read(until: "both items") { try $0.room.identifiers.count == 2 }
            try NewRoom.expectKept(client)
            #expect(try server.export("new").identifiers == ["milk", "eggs"])
            #expect(try client.finish() == .exit(0))
            #expect(try other.finish() == .exit(0))
        }

        private enum NewRoom {
            static func insert(_ id: String) -> String {
                ##"{"ops":[{"insert":{"item":{"id":"\##(id)"},"to":{"section":"main"}}}]}"##
            }

            static func expectKept(_ client: JoinProcess) throws {
                #expect(client.rejected == [:])
                #expect(client.acknowledged.count == 1)
                #expect(client.welcomes.count { $0["changed"] == true } == 0)
                #expect(client.welcomes.last?["id"] != client.welcomes.first?["id"])
            }
        }

        /// Joins as the same client and sends the transactions with counters from 1 on.
        private func answers(
            to transactions: [[ListOperation]], at server: ServerProcess
        ) throws -> [ServerMessage] {
            let connection = try WireConnection(port: server.port)
            let joined = try connection.join("room1", as: "c-raw", secret: [1, 2, 3])
            for (index, operations) in transactions.enumerated() {
                try connection.send(
                    .submit(
                        try Submit(
                            room: joined.handle, counter: UInt64(index + 1),
                            transaction: ListTransaction(base: 0, operations: operations))))
            }
            return try transactions.map { _ in
                switch try connection.nextAnswer() {
                case .ack(var ack):
                    ack.room = 0
                    return .ack(ack)
                case .reject(var reject):
                    reject.room = 0
                    return .reject(reject)
                case let other: throw TestFailure("a transaction was answered with \(other)")
                }
            }
        }
    }
}
