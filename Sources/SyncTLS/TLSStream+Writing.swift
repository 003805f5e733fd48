import SyncBytes
package import SyncIO

extension TLSStream {
    /// How many bytes are encrypted at a time.
    private static let pieceBytes = 128 << 10
    /// The most data in a record of TLS.
    private static let recordDataBytes = 16 << 10

    /// The write in flight.
    struct Output {
        /// The parts of the write, and how much of them is encrypted.
        private var parts: [SharedBytes] = []
        private var next = 0
        private var offset = 0
        private(set) var plainBytes = 0
        /// Whether a write is in flight.
        private(set) var isWriting = false
        /// Whether the stream below ends its output behind the records so far.
        var isFinishing = false

        mutating func begin(_ parts: [SharedBytes]) {
            self.parts = parts
            (next, offset) = (0, 0)
            plainBytes = parts.reduce(0) { $0 + $1.count }
            isWriting = true
        }

        mutating func dropPlain() {
            (parts, plainBytes) = ([], 0)
        }

        mutating func end() {
            isWriting = false
            parts = []
        }

        /// Calls `body` with the data of the write's next record. They are copied if they lie in
        /// several parts.
        mutating func withNextRecord<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            skipParts()
            let count = min(plainBytes, TLSStream.recordDataBytes)
            plainBytes -= count
            if count > 0, parts[next].count - offset >= count {
                defer { offset += count }
                return parts[next].withBytes { bytes in
                    body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                }
            }
            return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { memory in
                copy(to: memory)
                return body(UnsafeRawBufferPointer(memory))
            }
        }

        private mutating func copy(to memory: UnsafeMutableRawBufferPointer) {
            var count = 0
            while count < memory.count {
                skipParts()
                let copied = min(parts[next].count - offset, memory.count - count)
                parts[next].withBytes { bytes in
                    let source = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + copied])
                    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(
                        from: source)
                }
                count += copied
                offset += copied
            }
        }

        /// Moves on to the next part, if one is used up or empty.
        private mutating func skipParts() {
            while next < parts.count, offset == parts[next].count { (next, offset) = (next + 1, 0) }
        }
    }

    package var isWriting: Bool { output.isWriting }

    package var unsentBytes: Int {
        isWriting ? below.unsentBytes + output.plainBytes + engine.outputBytes : 0
    }

    /// Whether a write is in flight whose records have all gone to the stream below.
    var isWritten: Bool { isWriting && output.plainBytes == 0 && engine.outputBytes == 0 }

    /// Records that answer the other side's, such as key updates, are queued behind a write.
    var isOutputFull: Bool { engine.outputBytes > TLSStream.recordDataBytes }

    package func write(_ parts: [SharedBytes]) {
        guard phase == .handshake || phase == .open else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        output.begin(parts)
        pump()
        // An empty write is announced later, too.
        if phase == .open, output.plainBytes == 0, !below.isWriting { below.write([]) }
    }

    /// Changes the keys of both sides, as either side may at any time. Tests do so; the stream
    /// itself changes its own after many records.
    ///
    /// - Returns: whether the notice is on its way.
    func updateKeys() -> Bool {
        guard phase == .open, engine.updateKeys() else { return false }
        pump()
        return true
    }

    package func finishWriting() {
        guard phase == .handshake || phase == .open else { return }
        precondition(!isWriting, "a stream is finished when all is written")
        if phase == .open { engine.endOutput() }
        finishBelow()
    }

    /// Ends the output of the stream below when the records so far are written.
    func finishBelow() {
        output.isFinishing = true
        pump()
    }

    /// Passes on what the stream below can take.
    func pump() {
        guard phase != .closed, !below.isWriting else { return }
        if phase == .open, output.plainBytes > 0 { encryptPiece() }
        // If that fails, the reason may be on its way already.
        guard !below.isWriting else { return }
        let records = engine.takeOutput()
        if !records.isEmpty { return below.write(records) }
        if output.isFinishing {
            output.isFinishing = false
            return below.finishWriting()
        }
    }

    private func encryptPiece() {
        let end = max(0, output.plainBytes - TLSStream.pieceBytes)
        while output.plainBytes > end {
            switch output.withNextRecord(engine.write) {
            case .done: break
            case .failed(let failure):
                return fail(.connectionLost("\(peer): \(failure.reason)"))
            case .needsInput, .ended:
                // The other side has sent a part of a message that belongs to TLS itself.
                return fail(.connectionLost("\(peer): TLS can't send before it receives"))
            }
        }
    }
}
