import Glibc
import SyncAccess
import SyncModel

/// Reads a trail, also while a server writes it.
struct AuditReader {
    /// Which lines are wanted.
    struct Filter {
        /// Who did it, or has shared a room with whoever did it.
        var user: Identifier?
        var room: RoomName?
        var kind: String?
        /// Times as ``UTCTime`` writes them; the second is not included.
        var since: String?
        var until: String?

        func admits(_ line: AuditLine) -> Bool {
            (user.map { line.has($0.text, as: "user") || line.has($0.text, as: "sharer") } ?? true)
                && (room.map { line.has($0.text, as: "room") } ?? true)
                && (kind.map { $0 == line["kind"] } ?? true)
                && (since.map { line["time"] >= $0 } ?? true)
                && (until.map { line["time"] < $0 } ?? true)
        }
    }

    private let folder: String
    /// How many lines were no lines of a trail, without those that are torn.
    private(set) var badLines = 0

    /// - Parameter folder: that of the trail, or one of a store with a trail in it.
    init(_ folder: String) {
        let beside = "\(folder)/\(AuditOptions.usualName)"
        self.folder = access(beside, F_OK) == 0 ? beside : folder
    }

    /// Calls `body` with all lines that a filter admits, the oldest first.
    mutating func read(_ filter: Filter, _ body: (AuditLine) -> Void) throws(FileFailure) {
        let files = AuditFile.files(among: try AuditFile.names(in: folder))
        var series = AuditFile.Series.allCases.map { series in
            AuditSeries(folder, files.filter { $0.series == series })
        }
        var heads: [AuditLine?] = []
        for index in series.indices { heads.append(try series[index].next(filter)) }
        while true {
            let times = heads.indices.filter { heads[$0] != nil }
            guard
                let first = times.min(by: { heads[$0]?["time"] ?? "" < heads[$1]?["time"] ?? "" }),
                let line = heads[first]
            else { break }
            body(line)
            heads[first] = try series[first].next(filter)
        }
        badLines = series.reduce(0) { $0 + $1.badLines }
    }
}

/// The lines of one series of files, one after the other.
private struct AuditSeries {
    private let folder: String
    private var files: ArraySlice<AuditFile>
    /// The rest of the file that is being read.
    private var bytes: ArraySlice<UInt8> = []
    private(set) var badLines = 0

    init(_ folder: String, _ files: [AuditFile]) {
        self.folder = folder
        self.files = files[...]
    }

    /// The next line that a filter admits; `nil` at the end.
    mutating func next(_ filter: AuditReader.Filter) throws(FileFailure) -> AuditLine? {
        while true {
            // What is behind the last line end is being written, or torn.
            guard let end = bytes.firstIndex(of: 0x0A) else {
                guard let file = files.popFirst() else { return nil }
                bytes = try AuditSeries.read(file, in: folder)[...]
                continue
            }
            let line = AuditLine(bytes[..<end])
            bytes = bytes[(end + 1)...]
            guard let line else {
                badLines += 1
                continue
            }
            if filter.admits(line) { return line }
        }
    }

    /// Reads a file, or what has taken its place; nothing if it was removed meanwhile.
    private static func read(
        _ file: AuditFile, in folder: String
    ) throws(FileFailure) -> [UInt8] {
        var now = file
        for _ in 0..<3 {
            let path = "\(folder)/\(now.name)"
            do throws(FileFailure) {
                return try AuditFile.read(path)
            } catch {
                guard error.code == ENOENT else { throw error }
            }
            let files = AuditFile.files(among: try AuditFile.names(in: folder))
            guard
                let other = files.first(where: {
                    $0.series == file.series && $0.number == file.number
                })
            else { return [] }
            now = other
        }
        return []
    }
}
