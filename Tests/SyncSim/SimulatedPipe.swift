import SyncBytes

/// One direction of a connection.
///
/// Written bytes wait in `unsent` until the connection's buffer has room. Then they are in transit
/// in pieces, and have arrived when the reader may read them. The buffer counts bytes in transit
/// and bytes that have arrived. So a reader that does not read keeps the writer's write in flight.
final class SimulatedPipe {
    /// How the writer closed its side.
    enum End {
        case orderly, reset
    }

    private enum Piece {
        case bytes(ArraySlice<UInt8>)
        case end(End)
    }

    private let connection: SimulatedConnection
    /// The side that writes to it.
    private let side: SimulatedConnection.Side
    weak var writer: SimulatedStream?
    weak var reader: SimulatedStream?
    private var unsent = ByteQueue()
    private var transit: [Piece] = []
    private var transitBytes = 0
    /// The number of pieces in transit that are due.
    private var duePieces = 0
    private var lastDue: UInt64 = 0
    private var isEnded = false
    private(set) var arrived = ByteQueue()
    /// The writer's end, once it has arrived after all bytes.
    private(set) var end: End?

    init(_ connection: SimulatedConnection, of side: SimulatedConnection.Side) {
        self.connection = connection
        self.side = side
    }

    private var simulation: Simulation { connection.network.simulation }

    // MARK: Writing

    /// Whether the buffer has accepted all written bytes.
    var hasTakenAll: Bool { unsent.isEmpty }

    /// The number of written bytes that the buffer has not accepted.
    var unsentBytes: Int { unsent.count }

    func write(_ parts: [SharedBytes]) {
        for part in parts { unsent.append(part.bytes) }
        fillBuffer()
        connection.network.note(backlogBytes: unsent.count, on: side)
    }

    /// Ends the pipe. Bytes that the buffer has not accepted are lost.
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

    // MARK: Transit

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

    /// Continues after a fault that stopped the pieces.
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
                // There is no reader, so the writer's side receives a reset.
                writer?.inbound.write(.reset)
            }
        case .end(let end):
            self.end = end
        }
        reader?.inboundDidChange()
    }

    // MARK: Reading

    /// Removes the bytes that one system call would read.
    func read(atMost limit: Int) -> ArraySlice<UInt8> {
        let bytes = arrived.take(min(limit, arrived.count))
        fillBuffer()
        writer?.outboundDidChange()
        return bytes
    }
}
