import SyncBytes
import SyncIO
import SyncModel
import SyncWire
import WireSupport

/// A stranger's connection. It sends anything, and implements only the part of the protocol that
/// this needs.
final class Stranger: MessageStreamHandler {
    /// A room that it has joined.
    struct Place {
        var handle: RoomHandle
        var room: String
        var revision: Revision
        var origin: Origin
    }

    private var stream: MessageStream?
    private(set) var isWelcome = false
    private(set) var isClosed = false
    private(set) var places: [Place] = []
    /// What was wrong with the server's messages.
    private(set) var complaint: String?
    private var requests: RequestID = 0
    private var counter: UInt64 = 0

    init(on loop: any EventLoop, by security: (any ClientSecurity)?) {
        stream = MessageStream(to: ServerMachine.address, on: loop, by: security, handler: self)
    }

    /// Whether it reads what the server sends.
    var reads: Bool {
        get { stream?.isReadingPaused == false }
        set { stream?.isReadingPaused = !newValue }
    }

    func close() {
        stream?.close()
        isClosed = true
    }

    /// Releases the connection of a process that was killed.
    func abandon() {
        stream?.abandon()
    }

    // MARK: Sending

    func say(_ message: ClientMessage) {
        stream?.send(message)
    }

    func say(_ bytes: SharedBytes) {
        stream?.send(bytes)
    }

    func nextRequest() -> RequestID {
        requests += 1
        return requests
    }

    func join(
        _ room: String, as client: String, at place: Place? = nil, isViewOnly: Bool = false,
        presence: Bool = false
    ) {
        guard let name = RoomName(room), let client = try? Identifier(client) else { return }
        say(
            .join(
                Join(
                    request: nextRequest(), room: name, client: client, from: place?.revision,
                    viewOnly: isViewOnly, presence: presence, origin: place?.origin)))
    }

    func leave(_ place: Place) {
        places.removeAll { $0.handle == place.handle }
        say(.leave(Leave(request: nextRequest(), room: place.handle)))
    }

    func submit(_ operations: [ListOperation], to place: Place, base: Revision = 0) {
        counter += 1
        let transaction = ListTransaction(base: base, operations: operations)
        guard
            let submit = try? Submit(
                room: place.handle, counter: counter, transaction: transaction)
        else { return }
        say(.submit(submit))
    }

    // MARK: The stream

    func streamDidOpen() { say(.hello(Hello(agent: "stranger"))) }

    func streamDidReceive(_ message: ServerMessage) {
        switch message {
        case .welcome: isWelcome = true
        case .joined(let joined):
            places.append(
                Place(
                    handle: joined.handle, room: joined.room.text, revision: joined.revision,
                    origin: joined.identity.origin(of: joined.revision)))
        case .error(let error):
            if case .room(let handle) = error.subject {
                places.removeAll { $0.handle == handle }
            }
        default: break
        }
    }

    func streamDidFail(_ error: WireError) { complaint = "\(error)" }

    func streamDidClose() { isClosed = true }
}
