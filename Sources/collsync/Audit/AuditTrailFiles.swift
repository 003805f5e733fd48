import Glibc
import SyncIO
import SyncServer
import SyncStore

/// Locks a folder, so that no two servers write into it.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    init(_ folder: String) throws(FileFailure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(folder) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = FileFailure(folder)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    /// Unlocks explicitly, as a child process that is being started may have a copy of the
    /// descriptor.
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// All files of a trail.
///
/// Their ages are those of a ``TrustedTime``, which is noted in a file beside them.
struct AuditTrailFiles: ~Copyable {
    private let folder: String
    private let policy: AuditPolicy
    private var main: AuditFolder
    private var strangers: AuditFolder
    private var time: TrustedTime
    /// When files were aged last.
    private var aged: UInt64?
    private let lock: FolderLock
    /// Events that could not be written, and are not counted in the trail yet.
    private(set) var lost = 0

    /// The name of the file with the trail's time.
    static let timeName = "time"

    /// Opens a trail, and makes its folder if there is none. The folder's own folder must exist.
    init(_ folder: String, _ policy: AuditPolicy, at clocks: ClockReading) throws(FileFailure) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw FileFailure(folder) }
        let lock = try FolderLock(folder)
        let names = try AuditFile.names(in: folder)
        let files = AuditFile.files(among: names)
        AuditTrailFiles.removeRemains(among: names, of: folder, files)
        if let noted = TrustedTime(noteAt: "\(folder)/\(AuditTrailFiles.timeName)") {
            time = noted
            time.resume(at: clocks)
        } else {
            // Only differences count. So it may begin with the last file, whatever the clock says.
            let last = files.map { $0.began * 1000 }.max()
            time = TrustedTime(
                milliseconds: last ?? clocks.wallClockMilliseconds, reading: clocks)
        }
        self.lock = lock
        self.folder = folder
        self.policy = policy
        main = AuditFolder(folder, .main, policy, files: files.filter { $0.series == .main })
        strangers = AuditFolder(
            folder, .strangers, policy, files: files.filter { $0.series == .strangers })
    }

    /// Removes what a killed server has left: files that have a blanked copy, and files that are
    /// not whole.
    private static func removeRemains(
        among names: [String], of folder: String, _ files: [AuditFile]
    ) {
        let kept = Set(files.map(\.name))
        for name in names
        where CopyFile.isTemporary(name) || AuditFile(name: name) != nil && !kept.contains(name) {
            unlink("\(folder)/\(name)")
        }
    }

    /// Writes events, after a line with the number of those that were lost before.
    ///
    /// - Parameter dropped: how many more were lost after these.
    mutating func write(
        _ events: [AuditEvent], dropped: Int, at clocks: ClockReading
    ) -> FileFailure? {
        time.advance(to: clocks)
        lost += dropped
        for (index, event) in events.enumerated() {
            do throws(FileFailure) {
                try writeLost()
                let line = AuditLine(event, withAddress: policy.addressAge > 0).text
                if event.isOfStranger {
                    try strangers.append(line, at: time.milliseconds)
                } else {
                    try main.append(line, at: time.milliseconds)
                }
            } catch {
                lost += events.count - index
                return error
            }
        }
        do throws(FileFailure) {
            try writeLost()
            return nil
        } catch {
            return error
        }
    }

    private mutating func writeLost() throws(FileFailure) {
        if lost == 0 { return }
        let line = AuditLine(lost: lost, at: time.reading.wallClockMilliseconds)
        try main.append(line.text, at: time.milliseconds)
        lost = 0
    }

    /// Syncs what was written. At intervals, it also removes and blanks what is old. Called every
    /// second.
    mutating func keepUp(at clocks: ClockReading) -> FileFailure? {
        time.advance(to: clocks)
        main.sync()
        strangers.sync()
        let now = time.milliseconds
        if let aged, now - aged < policy.interval { return nil }
        aged = now
        // Files that are too old are removed first, which may make space for the note.
        let failures = [main.age(at: now), strangers.age(at: now), noteTime()]
        return failures.lazy.compactMap { $0 }.first
    }

    private func noteTime() -> FileFailure? {
        do throws(FileFailure) {
            try AuditFile.replace(
                "\(folder)/\(AuditTrailFiles.timeName)", by: Array(time.note.utf8))
            return nil
        } catch {
            return error
        }
    }

    /// Ends the trail: the next line would begin new files.
    mutating func close() -> FileFailure? {
        main.close()
        strangers.close()
        return noteTime()
    }
}

extension TrustedTime {
    /// The time as a text: its milliseconds, and those of the two clocks.
    var note: String {
        "\(milliseconds)\n\(reading.steadyMilliseconds)\n\(reading.wallClockMilliseconds)\n"
    }

    /// Reads the note in a file; `nil` if there is none.
    init?(noteAt path: String) {
        guard let bytes = try? AuditFile.read(path) else { return nil }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            UInt64($0)
        }
        guard numbers.count == 3, let time = numbers[0], let steady = numbers[1],
            let wallClock = numbers[2]
        else { return nil }
        self.init(
            milliseconds: time,
            reading: ClockReading(
                steadyMilliseconds: steady, wallClockMilliseconds: wallClock))
    }
}
