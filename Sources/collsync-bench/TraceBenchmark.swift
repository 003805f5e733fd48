import Foundation
import SyncEngine
import SyncModel

/// Plays a recorded editing trace in a room. Every character is an item, and every patch a
/// transaction.
///
/// The trace is one of josephg/editing-traces: gzipped JSON, `txns` of patches
/// `[position, deleted, inserted]`. Timed are `Engine.submit`, and finding the item to delete by
/// its index; the transactions to insert are made in advance.
struct TraceBenchmark {
    struct Edit {
        var position: Int
        /// The transaction, without a base yet; `nil` deletes the item at `position`.
        var insertion: PackedTransaction?
    }

    private struct Trace: Decodable {
        struct Patch: Decodable {
            var position: Int
            var deleted: Int
            var inserted: String

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                position = try container.decode(Int.self)
                deleted = try container.decode(Int.self)
                inserted = try container.decode(String.self)
            }
        }

        struct Transaction: Decodable {
            var patches: [Patch]
        }

        var endContent: String
        var txns: [Transaction]
    }

    private(set) var edits: [Edit] = []
    private let endContent: String

    /// Reads a trace, gzipped or plain.
    init(path: String) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        if path.hasSuffix(".gz") { data = try Self.run("gunzip", ["-c", path]) }
        let trace = try JSONDecoder().decode(Trace.self, from: data)
        endContent = trace.endContent
        let main = Identifier("main")
        let text = Identifier("c")
        for patch in trace.txns.flatMap(\.patches) {
            for _ in 0..<patch.deleted { edits.append(Edit(position: patch.position)) }
            for (offset, character) in patch.inserted.unicodeScalars.enumerated() {
                let field = Field(name: text, value: .text(String(character)))
                let item = Item(
                    id: try Identifier("c\(edits.count)"),
                    content: try ItemContent(fields: [field]))
                let place = Placement(
                    section: main, position: .index(UInt64(patch.position + offset)))
                let transaction = ListTransaction(
                    base: 0, operations: [.insert(item, to: place)])
                edits.append(
                    Edit(
                        position: patch.position + offset,
                        insertion: try PackedTransaction(transaction)))
            }
        }
    }

    /// Plays the trace, and checks that the room's end equals the trace's.
    func run() throws -> Double {
        let engine = Engine()
        let author = engine.author(Identifier("bench"))
        let watch = Stopwatch()
        for edit in edits {
            let commit: Commit
            if var insertion = edit.insertion {
                insertion.base = engine.revision
                commit = try engine.submit(insertion, by: author)
            } else {
                guard let item = engine.item(at: ItemPath(section: 0, item: edit.position)) else {
                    throw BenchError("the trace deletes what is not there")
                }
                let deletion = ListTransaction(
                    base: engine.revision, operations: [.delete(item.id)])
                commit = try engine.submit(deletion, by: author)
            }
            if commit.revision % EngineBenchmark.tick == 0 {
                EngineBenchmark.advanceHorizon(of: engine)
            }
        }
        let seconds = watch.seconds
        guard text(of: engine) == endContent else {
            throw BenchError("the room does not end as the trace does")
        }
        return seconds
    }

    private func text(of engine: Engine) -> String {
        var text = ""
        engine.forEach { _, _ in
        } item: { item in
            if case .text(let character)? = item.content.fields.first?.value { text += character }
        }
        return text
    }

    static func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let source = Pipe()
        process.standardInput = source
        try process.run()
        if let input { source.fileHandleForWriting.write(Data(input.utf8)) }
        try source.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("\(program) failed") }
        return data
    }
}

/// Why a benchmark can't run.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
