import SyncBytes

/// One direction of a connection.
///
/// What is written waits in `unsent` until the connection's buffer has room for it, is then in
/// transit in pieces, and has arrived when the reader may have it. The buffer counts what is in
/// transit or has arrived, so a reader that does not read makes the writer's write stay in flight.
final class SimulatedPipe {
    /// How the writer went.
    enum End {
        case orderly, reset
    }

    private enum Piece {
        case bytes(ArraySlice<UInt8>)
        case end(End)
    }

    private let connection: SimulatedConnection
    /// Whose writing goes through it.
    private let side: SimulatedConnection.Side
    weak var writer: SimulatedStream?
    weak var reader: SimulatedStream?
    private var unsent = ByteQueue()
    private var transit: [Piece] = []
    private var transitBytes = 0
    /// How many of the pieces in transit are due.
    private var duePieces = 0
    private var lastDue: UInt64 = 0
    private var isEnded = false
    private(set) var arrived = ByteQueue()
    /// The writer's end, once it has arrived. It comes after all bytes.
    private(set) var end: End?

    init(_ connection: SimulatedConnection, of side: SimulatedConnection.Side) {
        self.connection = connection
        self.side = side
    }

    private var simulation: Simulation { connection.network.simulation }

    // MARK: Writing

    /// Whether the buffer has taken all that was written.
    var hasTakenAll: Bool { unsent.isEmpty }

    /// What the buffer has not taken of what was written.
    var unsentBytes: Int { unsent.count }

    func write(_ parts: [SharedBytes]) {
        for part in parts { unsent.append(part.bytes) }
        fillBuffer()
        connection.network.note(backlogBytes: unsent.count, on: side)
    }

    /// Ends the pipe. What the buffer has not taken is lost.
    func write(_ end: End) {
        guard !isEnded else { return }
        isEnded = true
        unsent.removeAll()
        send(.end(end))
    }

    private func fillBuffer() {
        let room = simulation.conditions.socketBufferBytes - transitBytes - arrived.count
        var left = min(room, unsent.count)
        while left > 0 {
            let size = min(left, pieceSize())
            send(.bytes(unsent.take(size)))
            transitBytes += size
            left -= size
        }
    }

    private func pieceSize() -> Int {
        let range = simulation.conditions.pieceBytes
        let isTiny = simulation.random(in: 0...7) == 0
        let largest = isTiny ? min(range.upperBound, range.lowerBound + 15) : range.upperBound
        return max(1, simulation.random(in: range.lowerBound...largest))
    }

    // MARK: The way

    private func send(_ piece: Piece) {
        transit.append(piece)
        let now = simulation.nowMicroseconds
        let gap = simulation.random(in: simulation.conditions.pieceGapMicroseconds)
        lastDue = max(lastDue + gap, now + connection.network.delayMicroseconds)
        simulation.after(microseconds: lastDue - now) { [self] in
            duePieces += 1
            deliverDue()
        }
    }

    /// Goes on after something that held the pieces up.
    func resume() {
        simulation.after(microseconds: connection.network.delayMicroseconds) { [self] in
            deliverDue()
        }
    }

    private func deliverDue() {
        while duePieces > 0, !connection.isHeldUp {
            duePieces -= 1
            deliver(transit.removeFirst())
        }
    }

    private func deliver(_ piece: Piece) {
        switch piece {
        case .bytes(let bytes):
            transitBytes -= bytes.count
            if let reader, reader.isOpen {
                arrived.append(bytes)
            } else {
                // Nobody is there to read: the writer's system is told.
                writer?.inbound.write(.reset)
            }
        case .end(let end):
            self.end = end
        }
        reader?.inboundDidChange()
    }

    // MARK: Reading

    /// Takes what one call of the system's would read.
    func read(atMost limit: Int) -> ArraySlice<UInt8> {
        let bytes = arrived.take(min(limit, arrived.count))
        fillBuffer()
        writer?.outboundDidChange()
        return bytes
    }
}
