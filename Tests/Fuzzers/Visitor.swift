import SyncBytes
import SyncClient
import SyncIO
import SyncLayout
import SyncModel
import SyncWire
import WireSupport

/// One client's connection to the server: it sends what it is given and keeps what it needs of the
/// answers. Everything it receives must be a message, and updates must fit their views.
final class Visitor: MessageStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    /// Whether the connection is there, or can't be made.
    private(set) var isConnected = false
    private var isWelcome = false
    /// Whether it may edit, perhaps by a token that it has shown.
    private var mayEdit: Bool
    /// The last joined room on this connection.
    private(set) var handle: RoomHandle?
    private(set) var answer: ServerMessage?
    /// The last revision of that room.
    private(set) var revision: Revision = 0
    private(set) var lastError = "none"
    /// The last error about a view.
    private(set) var viewError: ErrorMessage?
    /// The last target of its drag.
    private(set) var dragTarget: DragTarget?
    /// The screens of its views according to the server.
    private(set) var screens: [ViewKey: ViewScreen] = [:]

    struct ViewKey: Hashable {
        var room: RoomHandle
        var view: ViewNumber
    }

    private var stream: MessageStream?

    init(mayEdit: Bool) {
        self.mayEdit = mayEdit
    }

    func connect(
        to address: SocketAddress, on loop: any EventLoop, by security: (any ClientSecurity)?
    ) {
        stream = MessageStream(to: address, on: loop, by: security, handler: self)
    }

    func close() {
        stream?.close()
    }

    /// Releases the connection as it is, when the world has ended.
    func abandon() {
        stream?.abandon()
    }

    func send(_ message: ClientMessage) {
        switch message {
        case .hello(let hello): show(hello.token)
        case .renew(let renew): show(renew.token)
        default: break
        }
        stream?.send(message)
    }

    private func show(_ token: ForeignText) {
        if FuzzedTokens.editors.contains(where: { token.isSame(as: $0) }) { mayEdit = true }
    }

    func send(bytes: [UInt8]) {
        stream?.send(SharedBytes(bytes))
    }

    // MARK: Receiving

    func streamDidOpen() { isConnected = true }

    func streamDidReceive(_ message: ServerMessage) {
        check(message)
        switch message {
        case .welcome: isWelcome = true
        case .joined(let joined):
            handle = joined.handle
            revision = 0
        case .batch(let batch) where batch.channel == handle.map { .room($0) }:
            revision = batch.batch.to
        case .snapshot(let part) where part.channel == handle.map { .room($0) }:
            revision = part.revision
        case .ack, .reject: answer = message
        case .viewUpdate(let update): show(update)
        case .dragTarget(let target): dragTarget = target
        case .error(let error):
            lastError = "\(error.code): \(error.text)"
            if case .view = error.subject { viewError = error }
        default: break
        }
    }

    private func check(_ message: ServerMessage) {
        switch message {
        case .welcome, .error: break
        case .ack, .dragTarget:
            expect(mayEdit, "something is edited by who has shown no editor's token: \(message)")
        default: expect(isWelcome, "somebody who is not welcome gets \(message)")
        }
    }

    private func show(_ update: ViewUpdate) {
        let key = ViewKey(room: update.room, view: update.view)
        var screen = screens[key] ?? ViewScreen(bounds: ListRect())
        do throws(ViewScreenError) {
            _ = try screen.apply(update)
        } catch {
            finding("an update can't be applied to its screen: \(error), \(update)")
        }
        screens[key] = screen
    }

    func streamDidFail(_ error: WireError) {
        finding("the server sent an unreadable message: \(error)")
    }

    func streamDidClose() { isConnected = true }
}
