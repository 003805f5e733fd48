import Glibc
import SyncJSON
import SyncModel

/// A file in the format of `export`, read piece by piece.
struct SnapshotFile {
    let descriptor: Int32
    /// Its name in error messages.
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

    /// Calls `body` with each part, and with the reader, which knows its place.
    func forEachPart(
        _ body: (SnapshotReader.Part, SnapshotReader) async throws -> Void
    ) async throws {
        var reader = SnapshotReader()
        var buffer = [UInt8](repeating: 0, count: SnapshotFile.pieceBytes)
        var isBegun = false
        do {
            while true {
                if Task.isCancelled { throw Failure.interrupted }
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw Failure(cannot: "read \(name)", exitCode: Failure.badData)
                }
                if count == 0 { break }
                if !isBegun { try checkBeginning(buffer[..<count]) }
                isBegun = true
                buffer.withUnsafeBytes { bytes in
                    reader.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                }
                while let part = try reader.next() { try await body(part, reader) }
            }
            try reader.finish()
        } catch let error as JSONError {
            throw Failure("\(name): \(error)", exitCode: Failure.badData)
        }
    }

    /// Checks the first bytes, so that a file which is no text gets a plain error.
    private func checkBeginning(_ bytes: ArraySlice<UInt8>) throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let skipped = bytes.starts(with: mark) ? mark.count : 0
        let first = bytes.dropFirst(skipped).first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        guard first == nil || first == UInt8(ascii: "{") else {
            throw Failure(
                "\(name): is no JSON object, such as 'export' writes", exitCode: Failure.badData)
        }
    }

    /// All sections with their items.
    func sections() async throws -> [Snapshot.SectionState] {
        var sections: [Snapshot.SectionState] = []
        try await forEachPart { part, _ in
            switch part {
            case .section(let section): sections.append(Snapshot.SectionState(section: section))
            case .wholeSection(let section):
                guard let last = sections.indices.last else { return }
                sections[last].section = section
            case .item(let item):
                // The reader returns a section before its items.
                guard let last = sections.indices.last else { return }
                sections[last].items.append(item)
            }
        }
        return sections
    }
}
