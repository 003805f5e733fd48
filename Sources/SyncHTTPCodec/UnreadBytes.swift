/// Received bytes that are not read yet, in order. They take no memory when there are none.
struct UnreadBytes {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var memoryBytes: Int { bytes.capacity }

    /// - Complexity: O(n) for n added bytes, amortized.
    mutating func append(_ added: UnsafeRawBufferPointer) {
        if start > count {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: added)
    }

    subscript(index: Int) -> UInt8 { bytes[start + index] }

    /// Calls `body` with the first bytes and takes them out.
    mutating func take<Result>(
        _ count: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let result = bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
        drop(count)
        return result
    }

    mutating func drop(_ count: Int) {
        start += count
        if start == bytes.count { self = UnreadBytes() }
    }

    mutating func takeAll() -> [UInt8] {
        defer { self = UnreadBytes() }
        return start == 0 ? bytes : Array(bytes[start...])
    }

    /// Looks for an empty line: CR LF CR LF.
    ///
    /// - Parameter line: what the calls before have found of it in the bytes before `index`.
    /// - Returns: how many bytes there are up to its end, or `nil` if it is not among the first
    ///   `limit` bytes.
    func end(of line: inout EmptyLine, from index: Int, limit: Int) -> Int? {
        let last = min(count, limit)
        guard index < last else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            for at in index..<last where line.ends(with: bytes[start + at]) { return at + 1 }
            return nil
        }
    }
}

/// How much of CR LF CR LF the last bytes are.
struct EmptyLine {
    private var found = 0
    /// Whether there was an LF without CR.
    private(set) var hasBareLF = false

    /// - Returns: whether the byte is the last of the four. The next byte begins anew then.
    mutating func ends(with byte: UInt8) -> Bool {
        let isCR = byte == 0x0D
        if found % 2 == 0 ? isCR : byte == 0x0A {
            found += 1
        } else {
            hasBareLF = hasBareLF || byte == 0x0A
            found = isCR ? 1 : 0
        }
        guard found == 4 else { return false }
        found = 0
        return true
    }
}
