import Glibc
import SyncAccess
import SyncBytes
import SyncStore

/// A file of an audit trail, by its name:
///
///     audit-00000012-2026-01-31T12-34-56Z.jsonl
///
/// The number orders the files of a series. The date is when it began, by the trail's own time.
struct AuditFile: Equatable {
    /// What strangers cause is in files of its own, so that it can't push out the rest.
    enum Series: String, CaseIterable {
        case main = "audit"
        case strangers = "strangers"
    }

    let series: Series
    let number: UInt64
    /// In seconds, by the trail's own time.
    let began: UInt64
    /// Whether its addresses are blanked.
    var isBlank = false
    var bytes = 0

    private static let ending = ".jsonl"
    private static let blankEnding = "-blank.jsonl"
    private static let numberDigits = 8
    private static let dateLength = "2026-01-31T12-34-56Z".utf8.count

    init(_ series: Series, number: UInt64, began: UInt64) {
        self.series = series
        self.number = number
        self.began = began
    }

    /// Reads a name; `nil` if it is of another file.
    init?(name: String) {
        let isBlank = name.hasSuffix(AuditFile.blankEnding)
        let ending = isBlank ? AuditFile.blankEnding : AuditFile.ending
        guard name.hasSuffix(ending) else { return nil }
        let parts = name.dropLast(ending.count).split(
            separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let series = Series(rawValue: String(parts[0])),
            parts[1].utf8.count >= AuditFile.numberDigits, let number = UInt64(parts[1]),
            number < UInt64.max / 2, parts[2].utf8.count == AuditFile.dateLength
        else { return nil }
        let halves = parts[2].split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let date = "\(halves[0])T\(halves[1].replacing("-", with: ":"))"
        guard let began = date.withBytes({ UTCSeconds.parse($0) }) else { return nil }
        self.init(series, number: number, began: began)
        self.isBlank = isBlank
    }

    var name: String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, AuditFile.numberDigits - digits.count))
        let date = UTCSeconds.text(began).replacing(":", with: "-")
        return "\(series.rawValue)-\(zeros)\(digits)-\(date)"
            + (isBlank ? AuditFile.blankEnding : AuditFile.ending)
    }

    /// The names in a folder.
    static func names(in folder: String) throws(FileFailure) -> [String] {
        guard let stream = opendir(folder) else { throw FileFailure(folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// The files of a trail among names, in order. Of a file and its blanked copy only the copy is
    /// among them.
    static func files(among names: [String]) -> [AuditFile] {
        let files = names.compactMap { AuditFile(name: $0) }
        let sorted = files.sorted {
            ($0.number, $0.isBlank ? 0 : 1) < ($1.number, $1.isBlank ? 0 : 1)
        }
        var kept: [AuditFile] = []
        for series in Series.allCases {
            for file in sorted where file.series == series {
                if let last = kept.last, last.series == series, last.number == file.number {
                    continue
                }
                kept.append(file)
            }
        }
        return kept
    }

    // MARK: Whole files

    /// How long a file is; 0 if it can't be opened.
    static func size(of path: String) -> Int {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Reads a file as long as it is now. The files of a trail are small.
    static func read(_ path: String) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: max(0, lseek(descriptor, 0, SEEK_END)))
        var count = 0
        while count < bytes.count {
            let added = bytes[count...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(count))
            }
            if added < 0, errno == EINTR { continue }
            guard added >= 0 else { throw FileFailure(path) }
            if added == 0 { break }
            count += added
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Puts bytes in the place of a file, or makes it.
    static func replace(_ path: String, by bytes: [UInt8]) throws(FileFailure) {
        do throws(StoreError) {
            try CopyFile.replace(path, by: bytes)
        } catch {
            throw FileFailure(path, "\(error)")
        }
    }
}
