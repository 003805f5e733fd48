import SyncAccess
import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncServer
import SyncWire

/// Asks for a token with which a room is shared.
final class ShareExchange: SessionRequest {
    private var body = RequestBody(of: "this", atMost: 4 << 10)
    private var command: ShareCommand?

    override var memoryBytes: Int { 512 + body.memoryBytes }

    override func refusal(ofBodyBytes count: Int) -> ErrorMessage? {
        body.refusal(ofBytes: count)
    }

    override func receive(_ bytes: [UInt8]) {
        if !isOver, let error = body.add(bytes) { refuse(error) }
    }

    override func ask() {
        do throws(JSONError) {
            command = try SharedBytes(body.take()).withBytes { bytes throws(JSONError) in
                try ShareCommand(bytes)
            }
            // What the user may share is not known before.
            if session.hasBegun { share() }
        } catch {
            refuse(malformed: error.description)
        }
    }

    override func sessionDidBegin() { share() }

    private func share() {
        guard let command else { return }
        session.server.share(
            command.room, as: command.role, named: command.name, lifetime: command.seconds
        ) { [weak self] result in
            guard let self, !self.isOver else { return }
            connection.gateway.perform {
                switch result {
                case .refused(let error): self.refuse(error)
                case .shared(let share, let token):
                    self.respond(
                        .json(
                            201,
                            [
                                "token": .text(token), "user": .text(share.user),
                                "expires": .count(share.expires),
                            ], HTTPFields(["Cache-Control": "no-store"])))
                }
                self.connection.didWork()
            }
        }
    }

    override func receive(_ message: ServerMessage) {
        if case .error(let error) = message { end(error) }
    }
}
