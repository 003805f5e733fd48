import Foundation
import SeededRandom
import SyncModel
import SyncWire

/// A copy of a store with some bytes flipped.
struct StoreDamage: CustomStringConvertible {
    /// The results of a damaged copy.
    struct Findings {
        /// Whether the store or a room of it was refused.
        var isRefused = false
        /// Violations of the rules.
        var problems: [String] = []
    }

    private let data: String
    private let file: String
    private let offsets: [Int]

    init(
        copying original: String, to data: String, using generator: inout SplitMix64
    ) throws {
        self.data = data
        try FileManager.default.copyItem(atPath: original, toPath: data)
        file = Bool.random(using: &generator) ? "collsync.db" : "collsync.db-wal"
        let url = URL(filePath: "\(data)/\(file)")
        var bytes = try [UInt8](Data(contentsOf: url))
        var offsets: [Int] = []
        let style = Int.random(in: 0..<4, using: &generator)
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            var offset = Int.random(in: bytes.indices, using: &generator)
            // In the head of the file, in the head of a page, or anywhere.
            if style == 0 { offset %= 100 }
            if style == 1 { offset = offset / 4096 * 4096 + offset % 40 }
            bytes[offset] ^= UInt8.random(in: 1...255, using: &generator)
            offsets.append(offset)
        }
        self.offsets = offsets
        try Data(bytes).write(to: url)
    }

    var description: String { "bytes \(offsets) of \(file)" }

    /// Verifies the copy, serves it, and compares its answers with the true ones.
    func check(against truth: StoredTruth) throws -> Findings {
        let verified = try CommandResult.server(["verify", data])
        var findings = Findings()
        if ![.exit(0), .exit(65), .exit(66)].contains(verified.ending) {
            findings.problems.append("verify ended with \(verified)")
        }
        try serve(truth, &findings)
        // A second time, after writes to it.
        if !findings.isRefused { try serve(truth, &findings) }
        if findings.isRefused, verified.ending == .exit(0) {
            findings.problems.append("verify has found nothing wrong")
        }
        return findings
    }

    private func serve(_ truth: StoredTruth, _ findings: inout Findings) throws {
        let process = try ChildProcess(
            Program.server, ["serve", "--listen", "127.0.0.1:0", "--data", data])
        defer { process.end() }
        guard let line = try process.output.next(),
            let match = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/), let port = UInt16(match.1)
        else {
            findings.isRefused = true
            let ending = try process.wait()
            let lines = try process.errors.all()
            if ![.exit(65), .exit(66)].contains(ending) || lines.count != 1 {
                findings.problems.append("it was refused with \(ending): \(lines)")
            }
            return
        }
        let connection = try WireConnection(port: port)
        for room in StoredTruth.rooms {
            try read(room, on: connection, truth, &findings)
        }
        if !findings.isRefused { try write(on: connection, &findings) }
    }

    private func read(
        _ room: String, on connection: WireConnection, _ truth: StoredTruth,
        _ findings: inout Findings
    ) throws {
        let answers = try StoredTruth.read(room, on: connection)
        let errors = answers.compactMap { answer in
            if case .error(let error) = answer { error } else { nil }
        }
        if errors.isEmpty {
            let mayBeTorn =
                file == "collsync.db-wal" && offsets.contains { $0 >= truth.lengthBefore }
            let isRight =
                answers == truth.answers[room]
                || (mayBeTorn && answers == truth.answersBefore[room])
            if !isRight { findings.problems.append("\(room) is silently wrong") }
        } else {
            findings.isRefused = true
            if errors.contains(where: { $0.code != .storeCorrupt }) {
                findings.problems.append("\(room) is refused with \(errors)")
            }
        }
    }

    /// Writes to a room of its own, and so changes none of the others.
    private func write(on connection: WireConnection, _ findings: inout Findings) throws {
        let joined = try connection.join("new", as: "c-new", secret: [1], viewOnly: true)
        for counter in 1...20 {
            let item = Item(id: try Identifier("item-\(joined.revision)-\(counter)"))
            let place = Placement(section: Identifier("main"))
            let transaction = ListTransaction(
                base: joined.revision, operations: [.insert(item, to: place)])
            try connection.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: UInt64(joined.revision) + UInt64(counter),
                        transaction: transaction)))
        }
        for _ in 1...20 {
            guard case .ack = try connection.nextAnswer() else {
                findings.isRefused = true
                return
            }
        }
    }
}
