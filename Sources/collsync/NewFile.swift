import Glibc
import SyncTokens

/// Writes files that must not exist yet.
enum NewFile {
    /// - Parameter mode: who may read and write it.
    static func write(_ text: String, to path: String, mode: mode_t) throws(KeyError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else { throw error(path) }
        let bytes = Array(text.utf8)
        let isWritten =
            fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0
            && fsync(descriptor) == 0
        guard fclose(file) == 0, isWritten else { throw error(path) }
    }

    private static func error(_ path: String) -> KeyError {
        KeyError("\(path): \(String(cString: strerror(errno)))")
    }
}

/// Reads standard input.
enum StandardInput {
    /// The text up to its end, or its first `limit` bytes. What is not UTF-8 is replaced.
    static func read(atMost limit: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let added = bytes[count...].withUnsafeMutableBytes {
                Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
            }
            if added < 0, errno == EINTR { continue }
            if added <= 0 { break }
            count += added
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
