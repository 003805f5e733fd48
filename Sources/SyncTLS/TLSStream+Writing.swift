import SyncBytes
package import SyncIO

extension TLSStream {
    /// How many bytes are encrypted at a time.
    private static let pieceBytes = 128 << 10
    /// The most data in a record of TLS.
    private static let recordDataBytes = 16 << 10

    /// The write in flight, and the records that it becomes.
    struct Output {
        /// The parts of the write, and how much of them is encrypted.
        private var parts: [SharedBytes] = []
        private var next = 0
        private var offset = 0
        private(set) var plainBytes = 0
        /// Whether a write is in flight.
        private(set) var isWriting = false
        /// Records that the stream below has not got.
        var encrypted: [UInt8] = []
        /// Whether the stream below ends its output behind those.
        var isFinishing = false
        /// Whether a write is in flight whose records have all gone to the stream below.
        var isWritten: Bool { isWriting && plainBytes == 0 && encrypted.isEmpty }

        /// Records that answer the other side's, such as key updates, are queued behind a write.
        var isFull: Bool { encrypted.count > TLSStream.recordDataBytes }

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

        /// Copies the next bytes of the write.
        mutating func take(into memory: UnsafeMutableRawBufferPointer) -> Int {
            var count = 0
            while next < parts.count, count < memory.count {
                let copied = min(parts[next].count - offset, memory.count - count)
                parts[next].withBytes { bytes in
                    let source = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + copied])
                    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(
                        from: source)
                }
                count += copied
                offset += copied
                if offset == parts[next].count { (next, offset) = (next + 1, 0) }
            }
            plainBytes -= count
            return count
        }
    }

    package var isWriting: Bool { output.isWriting }

    package var unsentBytes: Int {
        isWriting ? below.unsentBytes + output.plainBytes + output.encrypted.count : 0
    }

    package func write(_ parts: [SharedBytes]) {
        guard phase == .handshake || phase == .open else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        output.begin(parts)
        pump()
        // An empty write is announced later, too.
        if phase == .open, output.plainBytes == 0, !below.isWriting { below.write([]) }
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
        guard phase != .closed else { return }
        output.encrypted += engine.takeOutput()
        guard !below.isWriting else { return }
        if phase == .open, output.plainBytes > 0 { encryptPiece() }
        if !output.encrypted.isEmpty {
            let records = SharedBytes(output.encrypted)
            output.encrypted = []
            return below.write([records])
        }
        if output.isFinishing {
            output.isFinishing = false
            return below.finishWriting()
        }
    }

    private func encryptPiece() {
        var left = TLSStream.pieceBytes
        withUnsafeTemporaryAllocation(
            byteCount: min(TLSStream.recordDataBytes, output.plainBytes), alignment: 1
        ) { memory in
            while left > 0, output.plainBytes > 0 {
                let count = output.take(into: memory)
                left -= count
                let record = UnsafeRawBufferPointer(rebasing: memory[..<count])
                if case .failed(let failure) = engine.write(record) {
                    return fail(.connectionLost("\(peer): \(failure.reason)"))
                }
            }
        }
        output.encrypted += engine.takeOutput()
    }
}
