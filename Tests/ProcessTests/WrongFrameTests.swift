import SyncModel
import SyncWire
import Testing

extension ProcessTests {
    /// Messages that are wrong, or wrong at this time. Each gives the error that the protocol
    /// names, and at most ends its own connection.
    @Suite struct WrongFrameTests {
        private let server: ServerProcess
        /// A client that must not be affected.
        private let bystander: JoinProcess

        init() throws {
            server = try ServerProcess()
            bystander = try JoinProcess("bystander", room: "calm", at: server.address)
        }

        /// Each broken frame of the golden file, sent by a member of rooms.
        @Test func brokenFrames() throws {
            // The frames name the handle 7; the bystander's room has 1.
            let rooms = try (2...7).map { try RoomName(named: "room\($0)") }
            // A member stays in these rooms, because rooms without records are closed with their
            // last member.
            let holder = try WireConnection(port: server.port)
            try #require(try joinAll(rooms, on: holder, as: "holder") == 7)
            let frames = try Vectors.broken.map { frame in
                let connection = try WireConnection(port: server.port)
                let handle = try joinAll(rooms, on: connection, as: "c-\(frame.name)")
                #expect(handle == 7)
                try connection.send(bytes: frame.bytes)
                return (frame, connection)
            }
            for (frame, connection) in frames {
                let closes = frame.line["closes"] == true
                let answer = try closes ? connection.lastWord() : connection.nextAnswer()
                switch answer {
                case .error(let error):
                    #expect(error.code.rawValue == frame.line["error"]?.text, "\(frame.name)")
                    #expect(error.code.closes == closes, "\(frame.name)")
                case .reject(let reject):
                    let rejection = reject.rejection
                    #expect(rejection.code.name == frame.line["error"]?.text, "\(frame.name)")
                    #expect(
                        rejection.operation == frame.line["operation"]?.integer, "\(frame.name)")
                default: Issue.record("\(frame.name) was answered with \(answer as Any)")
                }
                if !closes { try expectGoesOn(connection, "\(frame.name)") }
            }
            try expectCalm()
        }

        /// Any message but a hello, of a client or a server, on a connection without a hello. A
        /// broken frame has an error of its own there.
        @Test func strangers() throws {
            let messages = try Vectors.frames.filter { !$0.name.hasPrefix("hello") }
            // Who begins with HTTP is answered in HTTP.
            let broken = try Vectors.broken.filter { !$0.bytes.starts(with: "GET ".utf8) }
            let connections = try (messages + broken).map { frame in
                let connection = try WireConnection(strangerTo: server.port)
                try connection.send(bytes: frame.bytes)
                return (frame, connection)
            }
            for (frame, connection) in connections {
                let name = frame.line["greeting"]?.text ?? "badHandshake"
                let code = try #require(ErrorCode(rawValue: name))
                try expectError(code, of: connection.lastWord(), "\(frame.name)")
            }
            try expectCalm()
        }

        /// Every message from a client that has sent its hello and is in no room.
        @Test func messagesWithoutARoom() throws {
            for frame in try Vectors.frames {
                let connection = try WireConnection(port: server.port)
                try connection.send(bytes: frame.bytes)
                if frame.name.hasPrefix("hello") {
                    try expectError(.badMessage, of: connection.lastWord(), "\(frame.name)")
                    continue
                }
                if !frame.isFromClient, !frame.name.contains("heartbeat") {
                    try expectError(.unsupported, of: connection.next(), "\(frame.name)")
                }
                if frame.name.hasPrefix("submit") || frame.name.hasPrefix("leave") {
                    try expectError(.unknownRoom, of: connection.next(), "\(frame.name)")
                }
                try expectGoesOn(connection, "\(frame.name)")
            }
            try expectCalm()
        }

        /// Hellos with versions that the server does not support.
        @Test func otherVersions() throws {
            let versions: [(UInt32, UInt32)] = [(0, 0), (2, 2), (2, 1000), (1000, 2)]
            let connections = try versions.map { minimum, maximum in
                let connection = try WireConnection(strangerTo: server.port)
                try connection.send(
                    .hello(Hello(minimumVersion: minimum, maximumVersion: maximum)))
                return connection
            }
            for connection in connections {
                try expectError(.unsupportedVersion, of: connection.lastWord(), "a version")
            }
            try expectCalm()
        }

        /// Every message of a client, cut after every byte, before the client disconnects.
        @Test func cutFrames() throws {
            for frame in try Vectors.frames where frame.isFromClient {
                for length in 1..<min(frame.bytes.count, 60) {
                    let connection = try WireConnection(port: server.port)
                    try connection.send(bytes: Array(frame.bytes[..<length]))
                    if length % 2 == 0 { connection.finishSending() }
                    if length % 4 == 0 { try connection.receiveUntilClosed() }
                }
            }
            try expectCalm()
        }

        private func joinAll(
            _ rooms: [RoomName], on connection: WireConnection, as client: String
        ) throws -> RoomHandle? {
            var last: RoomHandle?
            for room in rooms {
                let client = try Identifier(client)
                try connection.send(
                    .join(Join(request: 1, room: room, client: client, viewOnly: true)))
                guard case .joined(let joined) = try connection.next() else { return nil }
                last = joined.handle
            }
            return last
        }

        private func expectError(
            _ code: ErrorCode, of message: ServerMessage?, _ comment: Comment,
            location: SourceLocation = #_sourceLocation
        ) throws {
            guard case .error(let error) = message else {
                Issue.record("\(comment): \(message as Any)", sourceLocation: location)
                return
            }
            #expect(error.code == code, comment, sourceLocation: location)
        }

        /// Checks that the connection answers the next request.
        private func expectGoesOn(_ connection: WireConnection, _ comment: Comment) throws {
            try connection.send(.listRooms(ListRooms(request: 4711)))
            while let message = try connection.nextOrEnd() {
                if case .roomList(let list) = message, list.request == 4711 { return }
            }
            Issue.record("\(comment): the connection does not go on")
        }

        /// Checks that the bystander was not disconnected, and can edit.
        private func expectCalm() throws {
            let number = try bystander.submit([
                ["insert": ["item": ["id": "milk"], "to": ["section": "main"]]]
            ])
            try bystander.readUntilAnswered()
            #expect(bystander.acknowledged[number] != nil)
            #expect(bystander.errors == [], "it was never disconnected")
            #expect(try bystander.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }
    }
}
