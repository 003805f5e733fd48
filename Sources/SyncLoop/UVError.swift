import CUV
import Glibc

/// A result of libuv: zero or more is a success, a negative value an error of `uv_errno_t`.
typealias UVStatus = Int32

func describe(_ status: UVStatus) -> String {
    uv_strerror(status).map { String(cString: $0) } ?? "error \(status)"
}

/// The same for a number from `errno`: libuv's codes are the system's, negated.
func describe(systemError number: Int32) -> String {
    describe(-number)
}

func == (status: UVStatus, error: uv_errno_t) -> Bool {
    status == error.rawValue
}

func != (status: UVStatus, error: uv_errno_t) -> Bool {
    status != error.rawValue
}
