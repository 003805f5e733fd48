import SyncBytes
import SyncIO
import SyncWire

/// A server that reads the client's requests, answers some of them by itself, and sends whatever it
/// is given.
final class HostileServer: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    /// What it answers by itself, as a server should.
    struct Manners: OptionSet {
        let rawValue: UInt8
        static let welcomes = Manners(rawValue: 1)
        static let admits = Manners(rawValue: 2)
        static let renews = Manners(rawValue: 4)
    }

    private let manners: Manners
    /// What the client has asked, so that some messages fit.
    var asked = HostileMessages.Asked()
    private var stream: (any ByteStream)?
    private var outgoing: [SharedBytes] = []
    private var last = SharedBytes([])
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()

    init(_ manners: Manners) {
        self.manners = manners
    }

    func accept(_ stream: any ByteStream) {
        close()
        self.stream = stream
        frames = FrameDecoder()
        asked = HostileMessages.Asked()
        stream.open(self)
    }

    func close() {
        stream?.close()
        stream = nil
        outgoing = []
    }

    /// Whether it reads what the client sends.
    func toggleReading() {
        stream?.isReadingPaused.toggle()
    }

    // MARK: Sending

    private static let mostWaitingBytes = 64 << 10

    /// How many bytes it still has to send.
    private var waitingBytes: Int {
        outgoing.reduce(stream?.unsentBytes ?? 0) { $0 + $1.count }
    }

    func say(_ bytes: SharedBytes) {
        last = bytes
        outgoing.append(bytes)
        flush()
    }

    /// Says the same again, several times, unless too much waits for the client.
    func repeatLast(times: Int) {
        for _ in 0..<times where waitingBytes < HostileServer.mostWaitingBytes {
            outgoing.append(last)
        }
        flush()
    }

    private func flush() {
        guard let stream, !stream.isWriting, !outgoing.isEmpty else { return }
        let parts = outgoing
        outgoing = []
        stream.write(parts)
    }

    private func answer(_ message: ClientMessage) {
        switch message {
        case .hello where manners.contains(.welcomes):
            say(encoder.encode(.welcome(HostileMessages.welcome)).plain)
        case .join(let join) where manners.contains(.admits):
            asked.handle += 1
            for message in HostileMessages.admission(of: join, as: asked.handle) {
                say(encoder.encode(message).plain)
            }
        case .renew(let renew) where manners.contains(.renews):
            let renewed = Renewed(request: renew.request, tokenMilliseconds: 5_000)
            say(encoder.encode(.renewed(renewed)).plain)
        default: break
        }
    }

    // MARK: Receiving

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do throws(WireError) {
            while let frame = try frames.next(&rest) { try hear(frame) }
        } catch {
            finding("the client sent an unreadable message: \(error)")
        }
    }

    private func hear(_ frame: UnsafeRawBufferPointer) throws(WireError) {
        do throws(WireError) {
            let message = try decoder.clientMessage(frame)
            asked.note(message)
            answer(message)
        } catch .refused, .refusedSubmit {
            // Such as a base that is too large, because this server has sent it.
        }
    }

    func streamDidDrain() { flush() }

    func streamDidClose(_ error: IOError?) {
        stream = nil
        outgoing = []
    }
}
