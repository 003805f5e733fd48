import Foundation
import SwiftProtobuf
import SyncBytes
import SyncIO
import SyncWire
import Testing

/// A client that sends frames encoded by protobuf, and keeps the frames it receives.
final class ConversationClient: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    private(set) var isConnected = false
    /// Whether the server's messages are lost.
    var isDeaf = false
    private var received: [Collsync_V1_Frame] = []
    private(set) var receivedCount = 0
    private var stream: (any ByteStream)?
    private var outgoing: [SharedBytes] = []
    private var frames = FrameDecoder()

    func connect(to address: SocketAddress, on loop: any EventLoop) {
        loop.connect(to: address) { [self] result in
            stream = try? result.get()
            stream?.open(self)
            isConnected = stream != nil
        }
    }

    func send(_ frames: [Collsync_V1_Frame]) throws {
        for message in frames {
            outgoing.append(SharedBytes(frame(try message.serializedBytes())))
        }
        flush()
    }

    func close() {
        stream?.close()
    }

    /// The frames since the last call.
    func takeReceived() -> [Collsync_V1_Frame] {
        defer { received = [] }
        return received
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
        stream.write(outgoing)
        outgoing = []
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do {
            while let body = try frames.next(&rest) {
                receivedCount += 1
                let message = try Collsync_V1_Frame(serializedBytes: Data(body))
                if !isDeaf { received.append(message) }
            }
        } catch {
            Issue.record("what can't be: \(error)")
        }
    }

    func streamDidDrain() {
        flush()
    }

    func streamDidClose(_ error: IOError?) {}
}
