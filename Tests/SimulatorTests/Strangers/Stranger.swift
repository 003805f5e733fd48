import SyncBytes
import SyncIO
import SyncModel
import SyncWire

/// A stranger's connection. It sends anything, and implements only the part of the protocol that
/// this needs.
final class Stranger: ByteStreamHandler {
    /// A room that it has joined.
    struct Place {
        var handle: RoomHandle
        var room: String
        var revision: Revision
        var origin: Origin
    }

    private(set) var stream: (any ByteStream)?
    private(set) var isWelcome = false
    private(set) var isClosed = false
    private(set) var places: [Place] = []
    /// What was wrong with the server's messages.
    private(set) var complaint: String?
    private var requests: RequestID = 0
    private var counter: UInt64 = 0

    private var outgoing: [SharedBytes] = []
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()

    init(on loop: any EventLoop, by security: (any ClientSecurity)?) {
        loop.connect(to: ServerMachine.address, by: security) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let stream):
                self.stream = stream
                stream.open(self)
                say(.hello(Hello(agent: "stranger")))
            case .failure: isClosed = true
            }
        }
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

    // MARK: Sending

    func say(_ message: ClientMessage) {
        say(encoder.encode(message).plain)
    }

    func say(_ bytes: SharedBytes) {
        outgoing.append(bytes)
        flush()
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

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty, !isClosed else { return }
        let parts = outgoing
        outgoing = []
        stream.write(parts)
    }

    // MARK: The stream

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do {
            while let frame = try frames.next(&rest) { take(try decoder.serverMessage(frame)) }
        } catch {
            complaint = "\(error)"
        }
    }

    private func take(_ message: ServerMessage) {
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

    func streamDidDrain() { flush() }

    func streamDidClose(_ error: IOError?) { isClosed = true }
}
