import SyncBytes
import SyncClient
import SyncModel
import SyncSim
import SyncWire
import Testing

/// A client of today and a server of a later version, which sends more than the client knows.
@Suite struct NewerServerTests {
    private let simulation = Simulation(seed: 6)

    /// A message with two unknown fields.
    private func newer(_ message: ServerMessage) throws -> [UInt8] {
        var plain = ByteWriter()
        message.write(to: &plain)
        return try plain.makeArray().withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let tag = try #require(try reader.readTag())
            let body = try reader.readLengthDelimited()
            return frame { writer in
                writer.write(message: tag.field) { writer in
                    writer.write(contentsOf: body)
                    writer.write(field: 1000, varint: 7)
                    writer.write(field: 1001, utf8Of: "what nobody knows")
                }
            }
        }
    }

    private func frame(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        let mark = writer.beginLengthDelimited()
        write(&writer)
        writer.endLengthDelimited(mark)
        return writer.makeArray()
    }

    /// An ack with a lost operation for an unknown reason, a reject with an unknown code, and such
    /// an error.
    private func newerAnswers() -> [[UInt8]] {
        let ack = frame { writer in
            writer.write(message: 3) { writer in
                writer.write(field: 1, varint: 1)
                writer.write(field: 2, varint: 1)
                writer.write(field: 3, varint: 6)
                writer.write(message: 4) { $0.write(field: 2, varint: 99) }
            }
        }
        let reject = frame { writer in
            writer.write(message: 4) { writer in
                writer.write(field: 1, varint: 1)
                writer.write(field: 2, varint: 2)
                writer.write(message: 3) { writer in
                    writer.write(field: 2, varint: 300)
                    writer.write(field: 3, utf8Of: "a rule of later")
                }
            }
        }
        return [ack, reject]
    }

    /// A plain frame with an unknown message.
    private var newerMessage: [UInt8] {
        frame { writer in writer.write(message: 60) { $0.write(field: 1, varint: 7) } }
    }

    private func sayNewer(_ connection: ScriptedConnection, _ message: ServerMessage) {
        do {
            connection.sayRaw(try newer(message))
            connection.sayRaw(newerMessage)
        } catch {
            Issue.record("it can't be sent: \(error)")
        }
    }

    @Test func passesOverWhatItDoesNotKnow() throws {
        defer { simulation.end() }
        let server = try ScriptedServer(simulation)
        server.features = Features(rawValue: .max)
        server.answer = { connection, message in
            guard case .join(let join) = message else { return }
            sayNewer(connection, RoomScript.joined(join, revision: 5, resumed: false))
            sayNewer(connection, RoomScript.snapshot(5))
        }
        let client = try SessionFixture(simulation)
        client.open()
        client.join()
        client.submit()
        client.submit()
        simulation.run { server.submitted.count == 2 }
        let connection = try #require(server.current)
        for answer in newerAnswers() { connection.sayRaw(answer) }
        sayNewer(connection, RoomScript.batch(5, 6))
        sayNewer(connection, .presenceUpdate(PresenceUpdate(room: 1, client: Identifier("b"))))
        simulation.run { client.membership?.revision == 6 }
        simulation.runUntilIdle()
        let lost = Superseded(operation: 0, reason: .unknown)
        #expect(
            client.answers == [
                .committed(Commit(revision: 6, superseded: [lost])),
                .rejected(Rejection(code: .unknown, message: "a rule of later")),
            ])
        #expect(client.room.events.contains(.batch(5, 6)))
        #expect(server.connections.count == 1)
        connection.sayRaw(
            frame { writer in
                writer.write(message: 8) { writer in
                    writer.write(field: 1, varint: 4711)
                    writer.write(field: 2, utf8Of: "a reason of later")
                    writer.write(field: 5, varint: 1)
                }
            })
        simulation.run { client.room.hasEnded }
        #expect(client.room.events.last == .ended("unknown"))
    }
}
