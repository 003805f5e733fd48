import SyncBytes

extension WebSocketStream {
    /// How many frames may still come that are nothing for the handler. A program sends a ping
    /// from time to time, and may end each message with an empty frame.
    struct Credit {
        private static let most = 32
        private static let millisecondsPerFrame: UInt64 = 1000
        private var frames = Credit.most
        private var earned: UInt64

        init(at now: UInt64) {
            earned = now
        }

        /// Takes credit for frames; those that are not idle, and time, give some.
        ///
        /// - Returns: whether that was enough.
        mutating func admits(idle: Int, of all: Int, at now: UInt64) -> Bool {
            let passed = (now - min(now, earned)) / Credit.millisecondsPerFrame
            earned += passed * Credit.millisecondsPerFrame
            let given = Int(min(passed, UInt64(Credit.most))) + all - idle
            frames = min(Credit.most, frames + given) - idle
            return frames >= 0
        }
    }

    /// The frames that wait for the stream below, and the write in flight.
    struct Output {
        private var writer: MessageWriter
        private var frames: [SharedBytes] = []
        /// The data of the last ping that is not answered yet.
        private var ping: [UInt8]?
        private(set) var byteCount = 0
        /// Whether a write is in flight, and whether the stream below has all of it.
        private(set) var isWriting = false
        private var isTaken = false
        /// Whether a closing frame is sent, or queued. Nothing follows it.
        private(set) var isClosed = false
        /// Whether the stream below has ended its output.
        var isFinished = false

        init(_ writer: MessageWriter) {
            self.writer = writer
        }

        mutating func begin(_ parts: [SharedBytes]) {
            isWriting = true
            append(writer.frames(of: parts))
        }

        mutating func ask() {
            if !isClosed { append(writer.ping()) }
        }

        mutating func answer(_ ping: [UInt8]) {
            guard !isClosed else { return }
            self.ping = ping
        }

        mutating func close(_ code: UInt16?, _ reason: String = "") {
            guard !isClosed else { return }
            isClosed = true
            ping = nil
            append(writer.close(code, reason))
        }

        private mutating func append(_ frames: [SharedBytes]) {
            if self.frames.isEmpty { self.frames = frames } else { self.frames += frames }
            byteCount += frames.reduce(0) { $0 + $1.count }
        }

        /// Takes all frames for one write of the stream below; `nil` if there is nothing to write.
        mutating func take() -> [SharedBytes]? {
            // An empty write is announced, too.
            let isWriteDue = isWriting && !isTaken
            guard !frames.isEmpty || ping != nil || isWriteDue else { return nil }
            defer { (frames, ping, byteCount) = ([], nil, 0) }
            isTaken = isWriting
            guard let ping else { return frames }
            return writer.pong(ping) + frames
        }

        /// The stream below has written what it had.
        ///
        /// - Returns: whether that was the write in flight.
        mutating func endTaken() -> Bool {
            guard isTaken else { return false }
            endWrite()
            return true
        }

        mutating func endWrite() {
            (isWriting, isTaken) = (false, false)
        }

        mutating func drop() {
            endWrite()
            (frames, ping, byteCount) = ([], nil, 0)
        }
    }
}
