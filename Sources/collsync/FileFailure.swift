import Glibc

/// Why a file can't be used.
struct FileFailure: Error, CustomStringConvertible {
    /// For people: a sentence without a full stop.
    let description: String
    /// The system's number of the error; 0 if it is none of the system's.
    let code: Int32

    /// - Parameter why: `nil` for the error of the system's last call.
    init(_ path: String, _ why: String? = nil) {
        code = why == nil ? errno : 0
        description = "\(path): \(why ?? String(cString: strerror(errno)))"
    }
}
