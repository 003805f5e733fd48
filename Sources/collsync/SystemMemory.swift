import Glibc

/// The memory that this process may use.
enum SystemMemory {
    /// The lesser of the machine's memory and the limit of the process's control group, in bytes.
    static var availableBytes: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let machine = pages > 0 ? pages * Int(getpagesize()) : Int.max
        return groupLimits.reduce(machine, min)
    }

    /// The limits of the control group and of those above it, as far as there are any.
    private static var groupLimits: [Int] {
        let groups = text("/proc/self/cgroup").split(separator: "\n")
        return groups.flatMap { line -> [Int] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            if parts[1].isEmpty {
                return limits("/sys/fs/cgroup", String(parts[2]), "memory.max")
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return limits("/sys/fs/cgroup/memory", String(parts[2]), "memory.limit_in_bytes")
        }
    }

    /// The numbers in a file of a group's folder and of all folders above it.
    private static func limits(_ root: String, _ group: String, _ name: String) -> [Int] {
        var path = group.split(separator: "/")
        var limits: [Int] = []
        while true {
            let folder = ([root] + path.map(String.init)).joined(separator: "/")
            let value = text("\(folder)/\(name)").split(whereSeparator: \.isWhitespace).first
            if let value, let limit = Int(value) { limits.append(limit) }
            if path.popLast() == nil { return limits }
        }
    }

    /// The start of a short file; empty if it can't be read.
    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
