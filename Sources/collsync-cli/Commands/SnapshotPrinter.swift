import CollSync
import SyncJSON
import SyncWire

/// Writes a room as one JSON object, part by part.
struct SnapshotPrinter {
    let room: String
    let output: Output

    func print(_ parts: EventInbox<SnapshotPart>) async throws {
        let progress = Progress()
        var isInSection = false
        var isWhole = false
        while let parts = try await parts.takeAll() {
            try output.withWriter { writer in
                for part in parts {
                    try write(part, to: &writer, &isInSection)
                    progress.add(part.pieces.reduce(0) { $0 + $1.items.count })
                    progress.show(of: part.totalItems)
                    isWhole = part.isLast
                }
            }
        }
        progress.end()
        guard isWhole else { throw Failure.interrupted }
    }

    private func write(
        _ part: SnapshotPart, to writer: inout JSONWriter, _ isInSection: inout Bool
    ) throws {
        if part.isFirst { writer.beginSnapshot(room: room, revision: part.revision) }
        for piece in part.pieces {
            if let section = piece.section {
                if isInSection { writer.endSection() }
                isInSection = true
                writer.begin(section)
            }
            guard isInSection || piece.items.isEmpty else {
                throw Failure("the server sent items without a section", exitCode: Failure.badData)
            }
            for item in piece.items {
                writer.write(item)
                try output.flush(&writer)
            }
        }
        guard part.isLast else { return }
        if isInSection { writer.endSection() }
        writer.endSnapshot()
        writer.endLine()
    }
}
