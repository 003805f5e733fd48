import SyncAccess
import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// Asks for a token with which a room is shared.
final class ShareExchange: SessionRequest {
    private var body = RequestBody(of: "this", atMost: 4 << 10)

    override var memoryBytes: Int { 512 + body.memoryBytes }

    override func refusal(ofBodyBytes count: Int) -> ErrorMessage? {
        body.refusal(ofBytes: count)
    }

    override func receive(_ bytes: [UInt8]) {
        if !isOver, let error = body.add(bytes) { refuse(error) }
    }

    override func ask() {
        do throws(JSONError) {
            let command = try SharedBytes(body.take()).withBytes { bytes throws(JSONError) in
                try ShareCommand(bytes)
            }
            share(command)
        } catch {
            refuse(malformed: error.description)
        }
    }

    private func share(_ command: ShareCommand) {
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
                                "token": .text(token), "user": .text(share.user.text),
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
