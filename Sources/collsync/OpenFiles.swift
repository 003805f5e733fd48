import Glibc

/// The system's limit on the files that the process has open, which include connections.
enum OpenFiles {
    /// Raises the limit as far as the system allows.
    ///
    /// - Returns: the limit.
    static func raiseLimit() -> UInt {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        let former = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else { return former }
        return limit.rlim_cur
    }
}
