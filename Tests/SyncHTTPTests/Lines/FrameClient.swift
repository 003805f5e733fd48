import EngineTwin
import SyncBytes
import SyncClient
import SyncIO
import SyncJSON
import SyncLayout
import SyncModel
import SyncWire
import Testing

/// A client that speaks in frames, beside those that speak in lines.
final class FrameClient: ByteStreamHandler {
    private let id: Identifier
    private var stream: (any ByteStream)?
    private var outgoing: [SharedBytes] = []
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()
    private var snapshots = SnapshotAssembler()
    private var batches = BatchAssembler()
    private var handle: RoomHandle = 0
    private var counter: UInt64 = 0
    private(set) var identity: RoomIdentity?
    private(set) var snapshot: Snapshot?
    private(set) var answered: UInt64 = 0
    private var screen: ViewScreen?

    init(_ id: Identifier) {
        self.id = id
    }

    func didConnect(_ result: Result<any ByteStream, IOError>) {
        guard case .success(let stream) = result, let room = RoomName("room") else { return }
        self.stream = stream
        stream.open(self)
        send(.hello(Hello(features: .all)))
        send(.join(Join(request: 1, room: room, client: id, secret: [1])))
    }

    func submit(_ operations: [ListOperation]) throws {
        counter += 1
        send(
            .submit(
                try Submit(
                    room: handle, counter: counter,
                    transaction: ListTransaction(
                        base: snapshot?.revision ?? 0, operations: operations))))
    }

    var isAllAnswered: Bool { answered == counter }

    /// Opens its view, or scrolls.
    func look(at bounds: ListRect, layout: ViewLayout?) {
        if layout != nil { screen = ViewScreen(bounds: bounds) }
        screen?.bounds = bounds
        send(
            .view(
                ViewRequest(
                    room: handle, view: 1, layout: layout, bounds: bounds,
                    seen: screen?.number ?? 0, serial: 1)))
    }

    /// What the view shows.
    var shown: [ShownView.Shown: Int] {
        var shown: [ShownView.Shown: Int] = [:]
        for element in screen?.snapshot.elements ?? [] {
            let content: ViewLine.Content =
                switch element.content {
                case .item(let item): .item(item)
                case .section(let section): .section(section)
                }
            let entry = ShownView.Shown(element.element, element.content.thing.id, content)
            shown[entry, default: 0] += 1
        }
        return shown
    }

    private func send(_ message: ClientMessage) {
        outgoing.append(encoder.encode(message).plain)
        flush()
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
        let parts = outgoing
        outgoing = []
        stream.write(parts)
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do {
            while let frame = try frames.next(&rest) {
                try take(try decoder.serverMessage(frame))
            }
        } catch {
            Issue.record("\(error)")
        }
    }

    private func take(_ message: ServerMessage) throws {
        switch message {
        case .joined(let joined): (handle, identity) = (joined.handle, joined.identity)
        case .snapshot(let part):
            if let whole = try snapshots.add(part) { snapshot = whole }
        case .batch(let message):
            guard let batch = try batches.add(message), let former = snapshot else { return }
            snapshot = try LegalityChecker.apply(batch, to: former)
        case .ack(let ack): answered = ack.counter
        case .reject(let reject): answered = reject.counter
        case .viewUpdate(let update): _ = try screen?.apply(update)
        case .error(let error): Issue.record("\(error)")
        default: break
        }
    }

    func streamDidDrain() { flush() }

    func streamDidClose(_ error: IOError?) { stream = nil }
}
