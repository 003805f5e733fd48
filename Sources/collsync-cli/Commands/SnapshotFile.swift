import Glibc
import SyncEngine
import SyncJSON

/// A file as `export` writes it, read piece by piece.
struct SnapshotFile {
    let descriptor: Int32
    /// What it is called where something is wrong with it.
    let name: String

    private static let pieceBytes = 256 << 10

    init(descriptor: Int32, named name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Opens a file; `-` is standard input.
    init(path: String) throws {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(cannot: "read \(path)", exitCode: Failure.badData)
        }
        self.init(descriptor: descriptor, named: path)
    }

    /// Gives `body` each section, followed by its items.
    func forEachPart(_ body: (SnapshotReader.Part) async throws -> Void) async throws {
        var reader = SnapshotReader()
        var buffer = [UInt8](repeating: 0, count: SnapshotFile.pieceBytes)
        do {
            while true {
                if Task.isCancelled { throw Failure.interrupted }
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw Failure(cannot: "read \(name)", exitCode: Failure.badData)
                }
                if count == 0 { break }
                buffer.withUnsafeBytes { bytes in
                    reader.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                }
                while let part = try reader.next() { try await body(part) }
            }
            try reader.finish()
        } catch let error as JSONError {
            throw Failure("\(name): \(error)", exitCode: Failure.badData)
        }
    }

    /// The sections that it holds, with their items.
    func sections() async throws -> [Snapshot.SectionState] {
        var sections: [Snapshot.SectionState] = []
        try await forEachPart { part in
            switch part {
            case .section(let section): sections.append(Snapshot.SectionState(section: section))
            case .item(let item):
                // The reader gives a section before its items.
                guard let last = sections.indices.last else { return }
                sections[last].items.append(item)
            }
        }
        return sections
    }
}
