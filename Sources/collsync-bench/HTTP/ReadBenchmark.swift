import Glibc
import SyncModel

/// Reads a large room as JSON, and measures meanwhile how long another member waits, and the
/// server's memory.
final class ReadBenchmark {
    struct Reading {
        var firstByteSeconds = 0.0
        var seconds = 0.0
        var bytes = 0
        /// How much more memory the server had than before, at most.
        var growthBytes = 0
        /// The longest waits of another member: for a request of its own, and for an edit.
        var longestPing = 0.0
        var longestEdit = 0.0
    }

    private let server: MeasuredProcess
    private let room: RoomName
    private let port: UInt16
    private let member: WaitingMember
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    private static let sampleSeconds = 0.005
    private static let quietSeconds = 2.0
    private static let mostPauses = 10
    private static let settledSeconds = 0.05

    init(_ programs: Programs, folder: String, items: Int) throws {
        port = try MeasuredProcess.freePort()
        server = try programs.startServer(
            data: "\(folder)/read", ["--http", "127.0.0.1:\(port)"])
        room = try CollsyncMember.Room(filledWith: items, on: server.port).name
        member = try WaitingMember(of: room, at: server.port)
        // At first the store is busy with what the room was filled with.
        for _ in 0..<ReadBenchmark.mostPauses {
            if try quiet().longestEdit < ReadBenchmark.settledSeconds { break }
        }
    }

    deinit {
        memory.deallocate()
    }

    /// The other member's waits while nobody reads the room.
    func quiet() throws -> Reading {
        try watch(nil) { $0.seconds < ReadBenchmark.quietSeconds }
    }

    func read() throws -> Reading {
        let socket = try Socket(port: port)
        let request = "GET /v1/rooms/\(room.text) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        try Array(request.utf8).withUnsafeBytes { try socket.send($0) }
        // The answer comes in chunks, of which the last is empty.
        let lastChunk = Array("\r\n0\r\n\r\n".utf8)
        var end: [UInt8] = []
        return try watch(socket) { _ in
            end != lastChunk
        } received: { bytes in
            end = Array((end + bytes.suffix(lastChunk.count)).suffix(lastChunk.count))
        }
    }

    private func watch(
        _ socket: Socket?, while goesOn: (Reading) -> Bool,
        received: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws -> Reading {
        let sockets = SocketSet()
        try member.add(to: sockets)
        if let socket { try sockets.add(socket, as: 0) }
        let (clock, before) = (Stopwatch(), server.privateBytes)
        var (reading, sampled) = (Reading(), 0.0)
        member.forget()
        while goesOn(reading) {
            try member.ask()
            try sockets.wait(milliseconds: 1) { number in
                guard number == 0, let socket else { return try member.receive(number) }
                let bytes = try socket.receive(into: memory)
                if reading.bytes == 0 {
                    reading.firstByteSeconds = clock.seconds
                    guard bytes.starts(with: "HTTP/1.1 200 ".utf8) else {
                        throw BenchError(
                            "the room is not read: \(String(decoding: bytes, as: UTF8.self))")
                    }
                }
                reading.bytes += bytes.count
                received(bytes)
            }
            reading.seconds = clock.seconds
            if reading.seconds > sampled + ReadBenchmark.sampleSeconds {
                sampled = reading.seconds
                reading.growthBytes = max(reading.growthBytes, server.privateBytes - before)
            }
            if reading.seconds > Double(Socket.patienceSeconds) {
                throw BenchError("the room is not read to its end")
            }
        }
        try member.settle()
        (reading.longestPing, reading.longestEdit) = (member.longestPing, member.longestEdit)
        return reading
    }
}

extension Report {
    /// Adds the worst figures of some readings, and what the member waited in a quiet room.
    mutating func addReadings(
        _ readings: [ReadBenchmark.Reading], beside quiet: ReadBenchmark.Reading, items: Int
    ) {
        func most<Figure: Comparable>(_ figure: KeyPath<ReadBenchmark.Reading, Figure>) -> Figure {
            readings.map { $0[keyPath: figure] }.max() ?? quiet[keyPath: figure]
        }
        let first = most(\.firstByteSeconds)
        add(
            "GET of a room of \(items) items: first byte", Report.milliseconds(first), "≤ 20 ms",
            "", isReached: first <= 0.02)
        add(
            "  all of it", Report.milliseconds(most(\.seconds)), "",
            "\(most(\.bytes) >> 20) MiB")
        let ping = most(\.longestPing)
        add(
            "  longest wait of another member meanwhile", Report.milliseconds(ping), "≤ 10 ms",
            "quiet " + Report.milliseconds(quiet.longestPing), isReached: ping <= 0.01)
        add(
            "  its longest wait for an edit, which is synced",
            Report.milliseconds(most(\.longestEdit)), "",
            "quiet " + Report.milliseconds(quiet.longestEdit))
        let growth = most(\.growthBytes)
        add(
            "  the server's memory meanwhile", "\(growth >> 10) KiB more", "≤ 4096 KiB", "",
            isReached: growth <= 4 << 20)
    }
}
