import SyncBytes
import SyncModel
import SyncRoom
import SyncWire

/// Measures the work of decoding what clients send.
struct CostOfReading {
    let count: Int
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()

    init(count: Int) {
        self.count = count
    }

    func nanoseconds(of cost: WorkCost) throws -> Double {
        switch cost {
        case .frame: try decode(try submit(fieldBytes: 8), times: count)
        case .frameBytes: try decodePerByte(try submit(fieldBytes: 200_000))
        case .message: try decode(.presence(Presence(room: 1)), times: count)
        case .request: try request()
        case .messageBytes:
            try decodePerByte(plain(.presence(Presence(room: 1, state: try selection(1000)))))
        case .heldRevision:
            try decode(.heartbeat(Heartbeat(rooms: (0..<64).map { held($0) })), times: count / 64)
                / 64
        case .inflation: try inflation()
        case .inflatedBytes: try decodePerByte(deflated(try submit(fieldBytes: 200_000)))
        case .checkedBytes: try decodePerByte(try unsorted(fieldBytes: 200_000, isLoose: false))
        case .looseBytes: try decodePerByte(try unsorted(fieldBytes: 20_000, isLoose: true))
        default: throw BenchError("\(cost) is no reading")
        }
    }

    private func held(_ room: Int) -> Heartbeat.Entry {
        Heartbeat.Entry(room: RoomHandle(room), revision: 1000)
    }

    private func selection(_ count: Int) throws -> PresenceState {
        PresenceState(selected: try (0..<count).map { try EngineBenchmark.id($0) })
    }

    private func plain(_ message: ClientMessage) -> [UInt8] {
        body(of: encoder.encode(message).plain.array)
    }

    /// A frame without its length.
    private func body(of frame: [UInt8]) -> [UInt8] {
        let lengthCount = (frame.firstIndex { $0 < 0x80 } ?? 0) + 1
        return Array(frame[lengthCount...])
    }

    private func deflated(_ frame: [UInt8]) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: frame.count + 1024)
        let length = frame.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { Deflater().deflate(input, into: $0) }
        }
        guard let length else { throw BenchError("the frame can't be deflated") }
        var writer = ByteWriter()
        output.prefix(length).withUnsafeBytes { writer.write(field: 1, bytes: $0) }
        return writer.makeArray()
    }

    private func transaction(fieldBytes: Int) throws -> ListTransaction {
        let item = try CostRoom.item(7, contentBytes: fieldBytes)
        return ListTransaction(
            base: 0, operations: [.insert(item, to: Placement(section: Identifier("main")))])
    }

    private func submit(fieldBytes: Int) throws -> [UInt8] {
        let submit = try Submit(
            room: 1, counter: 1, transaction: transaction(fieldBytes: fieldBytes))
        return plain(.submit(submit))
    }

    /// A transaction whose fields, or those of its operation, are not in canonical order.
    private func unsorted(fieldBytes: Int, isLoose: Bool) throws -> [UInt8] {
        let packed = try PackedTransaction(try transaction(fieldBytes: fieldBytes))
        var canonical = ByteWriter()
        packed.write(to: &canonical)
        // The transaction has only this field: a tag of one byte, a length, and the operation.
        let operation = body(of: Array(canonical.makeArray().dropFirst()))
        var transaction = ByteWriter()
        if isLoose {
            // The operation has only one field, too. Unknown fields in it are skipped.
            var inner = ByteWriter()
            inner.write(contentsOf: body(of: Array(operation.dropFirst())))
            inner.write(field: 99, varint: 1)
            var loose = ByteWriter()
            loose.write(field: Int(operation[0] >> 3), bytes: inner.bytes)
            transaction.write(field: 2, bytes: loose.bytes)
        } else {
            operation.withUnsafeBytes { transaction.write(field: 2, bytes: $0) }
        }
        transaction.write(field: 98, varint: 1)
        var message = ByteWriter()
        message.write(field: 1, varint: 1)
        message.write(field: 2, varint: 1)
        message.write(field: 3, bytes: transaction.bytes)
        var frame = ByteWriter()
        frame.write(field: 2, bytes: message.bytes)
        return frame.makeArray()
    }

    private func decode(_ frame: [UInt8], times: Int) throws -> Double {
        try CostBenchmark.time(max(1, times)) { _ in
            try frame.withUnsafeBytes { bytes in
                var message: ClientMessage?
                var join: RequestID?
                _ = try decoder.readClientFrame(bytes, &message, naming: &join)
            }
        }
    }

    private func decode(_ message: ClientMessage, times: Int) throws -> Double {
        try decode(plain(message), times: times)
    }

    private func decodePerByte(_ frame: [UInt8]) throws -> Double {
        let nanoseconds = try decode(frame, times: 1 + count / 1000)
        let inflated = decoder.takeWork()?.inflatedBytes ?? 0
        let times = 1 + count / 1000
        return nanoseconds / Double(max(frame.count, inflated / times))
    }

    private func inflation() throws -> Double {
        let frame = try submit(fieldBytes: 8)
        return try decode(try deflated(frame), times: count) - decode(frame, times: count)
    }

    private func request() throws -> Double {
        guard let name = RoomName("room") else { throw BenchError("a room has a name") }
        let question = ClientMessage.readStats(RoomRequest(request: 1, room: name))
        let error = ErrorMessage(.roomNotFound, "there is no room", about: .request(1))
        return try decode(question, times: count)
            + CostBenchmark.time(count) { _ in _ = encoder.encode(.error(error)).plain.count }
    }
}
