import SyncBytes
import SyncIO
import SyncModel
import SyncWire

/// Changes the server's messages on their way.
final class TamperingStream: ForwardingStream {
    /// Changes one message.
    typealias Change = @Sendable (ServerMessage) -> ServerMessage

    private let change: Change
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()

    init(_ stream: any ByteStream, _ loop: any EventLoop, _ change: @escaping Change) {
        self.change = change
        super.init(stream, loop)
    }

    override func write(_ parts: [SharedBytes]) {
        var changed: [SharedBytes] = []
        for part in parts {
            part.withBytes { bytes in
                var rest = bytes
                // The server writes only whole frames.
                while let frame = try? frames.next(&rest) { changed.append(tampered(frame)) }
            }
        }
        stream.write(changed)
    }

    private func tampered(_ frame: UnsafeRawBufferPointer) -> SharedBytes {
        guard let message = try? decoder.serverMessage(frame) else { return SharedBytes([]) }
        return encoder.encode(change(message)).plain
    }
}

extension ServerMessage {
    /// A batch with another content; other messages unchanged.
    func changingBatch(_ change: (Batch) -> Batch) -> ServerMessage {
        guard case .batch(var message) = self else { return self }
        message.batch = change(message.batch)
        return .batch(message)
    }

    /// A view update without the new content of elements that stay; other messages unchanged.
    func withoutNewContents() -> ServerMessage {
        guard case .viewUpdate(var update) = self else { return self }
        update.items.removeAll { item in !update.appeared.contains { $0.id == item.id } }
        return .viewUpdate(update)
    }
}

extension ServerMessage {
    /// A heartbeat in place of the message that a member has left; other messages unchanged.
    func withoutDepartures() -> ServerMessage {
        if case .presenceUpdate(let update) = self, update.left { return .heartbeat(Heartbeat()) }
        return self
    }
}

extension Batch {
    /// Moves a single inserted item one gap up in its section: the batch stays legal.
    func withWrongGap() -> Batch {
        changed { stage in
            guard stage.inserts.count == 1, stage.moves.isEmpty, stage.deletes.isEmpty,
                stage.inserts[0].path.item > 0
            else { return }
            stage.inserts[0].path.item -= 1
        }
    }

    /// Adds one to the first index of an item.
    func withIndexOffByOne() -> Batch {
        changed { stage in
            if !stage.deletes.isEmpty {
                stage.deletes[stage.deletes.count - 1].item += 1
            } else if !stage.reloads.isEmpty {
                stage.reloads[stage.reloads.count - 1].path.item += 1
            } else if !stage.inserts.isEmpty {
                stage.inserts[stage.inserts.count - 1].path.item += 1
            }
        }
    }

    private func changed(_ change: (inout Stage) -> Void) -> Batch {
        var batch = self
        for index in batch.stages.indices { change(&batch.stages[index]) }
        return batch
    }
}
