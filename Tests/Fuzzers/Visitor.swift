import SyncBytes
import SyncClient
import SyncIO
import SyncLayout
import SyncModel
import SyncWire

/// One client's connection to the server: it sends what it is given and keeps what it needs of the
/// answers. Everything it receives must be a message, and updates must fit their views.
final class Visitor: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    private(set) var isConnected = false
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

    private var stream: (any ByteStream)?
    private var outgoing: [SharedBytes] = []
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()

    func connect(to address: SocketAddress, on loop: any EventLoop) {
        loop.connect(to: address) { [self] result in
            isConnected = true
            guard let stream = try? result.get() else { return }
            self.stream = stream
            stream.open(self)
        }
    }

    func close() {
        stream?.close()
    }

    func send(_ message: ClientMessage) {
        send(encoder.encode(message).plain)
    }

    func send(bytes: [UInt8]) {
        send(SharedBytes(bytes))
    }

    private func send(_ bytes: SharedBytes) {
        outgoing.append(bytes)
        flush()
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
        let parts = outgoing
        outgoing = []
        stream.write(parts)
    }

    // MARK: Receiving

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do throws(WireError) {
            while let frame = try frames.next(&rest) { take(try decoder.serverMessage(frame)) }
        } catch {
            finding("the server sent an unreadable message: \(error)")
        }
    }

    private func take(_ message: ServerMessage) {
        switch message {
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

    func streamDidDrain() {
        flush()
    }

    func streamDidClose(_ error: IOError?) {
        stream = nil
    }
}
