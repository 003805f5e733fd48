import Glibc

/// The files of one series in a folder.
///
/// It belongs to the thread that writes them. Readers may read meanwhile: a file only grows, and is
/// replaced as a whole. All times are those of the trail, in milliseconds, and never go back.
///
/// Invariants, after each call:
/// 1. Its files have at most the policy's bytes, and there are at most ``maximumFiles``.
/// 2. All but the last file are closed. No line was written before its file began.
struct AuditFolder: ~Copyable {
    let folder: String
    let series: AuditFile.Series
    let policy: AuditPolicy
    /// All files, the oldest first.
    private(set) var files: [AuditFile]
    /// The sum of their bytes.
    private var bytes: Int
    /// The last file, if it may get more lines.
    private var descriptor: Int32 = -1
    private var lastNumber: UInt64
    /// Whether there are lines that are not synced.
    private var isDirty = false

    static let maximumFiles = 10_000

    /// - Parameter files: those of the series, in order.
    init(_ folder: String, _ series: AuditFile.Series, _ policy: AuditPolicy, files: [AuditFile]) {
        self.folder = folder
        self.series = series
        self.policy = policy
        lastNumber = files.last?.number ?? 0
        self.files = files.map { file in
            var file = file
            file.bytes = AuditFile.size(of: "\(folder)/\(file.name)")
            return file
        }
        bytes = self.files.reduce(0) { $0 + $1.bytes }
    }

    deinit {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    func path(_ file: AuditFile) -> String { "\(folder)/\(file.name)" }

    // MARK: Writing

    /// Appends a line. What has failed may be torn; the next line begins a new file.
    mutating func append(_ line: String, at now: UInt64) throws(FileFailure) {
        let line = Array("\(line)\n".utf8)
        if let last = files.last,
            last.bytes + line.count > policy.fileBytes(of: series) || isOld(last, at: now)
        {
            close()
        }
        makeSpace(for: line.count)
        if descriptor < 0 { try begin(at: now) }
        let count = write(line)
        let failure = count < line.count ? FileFailure(folder) : nil
        files[files.count - 1].bytes += count
        bytes += count
        isDirty = true
        guard let failure else { return }
        close()
        if let last = files.last, last.bytes == 0 {
            unlink(path(last))
            files.removeLast()
        }
        throw failure
    }

    /// Writes as much as the system takes, and returns how much that was.
    private func write(_ line: [UInt8]) -> Int {
        var written = 0
        while written < line.count {
            let count = line[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        return written
    }

    private mutating func begin(at now: UInt64) throws(FileFailure) {
        let file = AuditFile(series, number: lastNumber + 1, began: now / 1000)
        let opened = open(path(file), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw FileFailure(path(file)) }
        descriptor = opened
        lastNumber += 1
        files.append(file)
    }

    /// Has the lines so far survive a loss of power.
    mutating func sync() {
        guard isDirty, descriptor >= 0 else { return }
        isDirty = false
        fdatasync(descriptor)
    }

    /// Begins a new file with the next line.
    mutating func close() {
        sync()
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
    }

    private func isOld(_ file: AuditFile, at now: UInt64) -> Bool {
        isPast(file, policy.fileAge, at: now)
    }

    private func isPast(_ file: AuditFile, _ age: UInt64, at now: UInt64) -> Bool {
        now - min(now, file.began * 1000) >= age
    }

    // MARK: Bounds

    /// Removes the oldest files until there is space for more bytes.
    private mutating func makeSpace(for count: Int) {
        while let first = files.first,
            bytes + count > policy.bytes(of: series) || files.count >= AuditFolder.maximumFiles,
            files.count > 1 || descriptor < 0
        {
            unlink(path(first))
            bytes -= first.bytes
            files.removeFirst()
        }
    }

    /// Removes files that are too old, and blanks the addresses of those that are old.
    ///
    /// - Returns: why some are still as they were.
    mutating func age(at now: UInt64) -> FileFailure? {
        if let last = files.last, isOld(last, at: now) { close() }
        var failure: FileFailure?
        let closed = files.dropLast(descriptor >= 0 ? 1 : 0)
        var kept: [AuditFile] = []
        for file in closed {
            do throws(FileFailure) {
                if let file = try aged(file, at: now) { kept.append(file) }
            } catch {
                failure = error
                kept.append(file)
            }
        }
        files.replaceSubrange(closed.indices, with: kept)
        bytes = files.reduce(0) { $0 + $1.bytes }
        makeSpace(for: 0)
        return failure
    }

    /// What becomes of a closed file; `nil` if it was removed.
    private func aged(_ file: AuditFile, at now: UInt64) throws(FileFailure) -> AuditFile? {
        if isPast(file, policy.age, at: now) {
            guard unlink(path(file)) == 0 || errno == ENOENT else { throw FileFailure(path(file)) }
            return nil
        }
        if file.isBlank || !isPast(file, policy.blankingAge, at: now) { return file }
        return try blanked(file)
    }

    /// Writes a file again without addresses. Lines that can't be read may have some, so they are
    /// dropped.
    private func blanked(_ file: AuditFile) throws(FileFailure) -> AuditFile {
        var text = ""
        for line in try AuditFile.read(path(file)).split(separator: 0x0A) {
            guard let line = AuditLine(line) else { continue }
            text += line.withoutAddress.text + "\n"
        }
        var blank = file
        blank.isBlank = true
        blank.bytes = text.utf8.count
        try AuditFile.replace(path(blank), by: Array(text.utf8))
        guard unlink(path(file)) == 0 else { throw FileFailure(path(file)) }
        return blank
    }
}
