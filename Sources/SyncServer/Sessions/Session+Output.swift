import SyncBytes
import SyncIO
import SyncRoom
import SyncWire

extension Session {
    func send(_ message: ServerMessage) {
        guard phase == .greeting || phase == .open else { return }
        if case .error(let error) = message { loop.counts.rooms.count(error.code) }
        let frame = loop.codec.encoder.encode(message)
        add(frame.bytes(by: loop.codec.encoder(in: encoding)), of: nil)
    }

    var encoding: FrameEncoding {
        if let encoding = transport.encoding { return encoding }
        if features.contains(.deflate) { return .deflated }
        return features.contains(.plainDeflate) ? .plainDeflated : .plain
    }

    /// Queues bytes for the next flush.
    ///
    /// - Parameter channel: the channel that is notified when they are written; `nil` for answers
    ///   and messages about the connection.
    func add(_ bytes: SharedBytes, of channel: Channel?) {
        guard phase == .greeting || phase == .open else { return }
        outbox.append(bytes, of: channel)
        loop.flush(self)
    }

    func take(_ parts: [SharedBytes], of channel: Channel) {
        // A room on another loop may have sent this before it learned that the connection has left,
        // or has no role there any more.
        if case .room(let handle) = channel, membership(handle) == nil { return }
        for part in parts {
            switch channel {
            case .room: add(part, of: channel)
            case .request(let request):
                for piece in part.parts(answering: request) { add(piece, of: channel) }
            }
        }
    }

    func take(_ answers: ArraySlice<RoomAnswer>, of handle: RoomHandle) {
        loop.codec.writer.reset()
        // Without a copy, since copying an answer takes as long as encoding its frame.
        answers.withUnsafeBufferPointer { answers in
            for index in answers.indices {
                loop.codec.writer.writeFrame(answers[index].result, of: handle)
            }
        }
        add(SharedBytes(copying: loop.codec.writer.bytes), of: nil)
        wasAnswered(answers.count, in: handle)
    }

    func wasAnswered(_ count: Int, in handle: RoomHandle) {
        guard let index = membership(handle) else { return }
        memberships[index].unanswered = max(0, memberships[index].unanswered - count)
        if memberships[index].unanswered == 0 { memberships[index].unansweredBytes = 0 }
        loop.flush(self)
    }

    /// Writes queued output, as far as one write goes, and schedules reading if that had to wait.
    ///
    /// - Parameter now: the loop's time.
    /// - Returns: how many steps this took.
    func flush(at now: UInt64) -> Int {
        if phase == .open, inbox.mayHaveInput { readOn() }
        if !usage.nearLimits.isEmpty { sendNearLimits() }
        guard !outbox.isEmpty, !outbox.isWriting, phase != .closed else { return 1 }
        outbox.write(to: stream, at: now)
        return WorkCost.write.steps() + WorkCost.writtenBytes.steps(outbox.bytesInFlight)
    }

    /// Adds what its account is near to the next write. So at most one message of each quota waits
    /// for a client that does not read.
    private func sendNearLimits() {
        guard phase == .open, !outbox.isWriting else { return }
        let encoder = loop.codec.encoder
        for use in usage.takeNearLimits() {
            let frame = encoder.encode(.nearLimit(NearLimit(room: 0, use)))
            outbox.append(frame.bytes(by: loop.codec.encoder(in: encoding)), of: nil)
        }
    }

    func streamDidDrain() {
        outbox.didWrite()
        if phase == .leaving, outbox.isEmpty { return linger() }
        let count = outbox.writtenChannelCount
        if count > 0 {
            loop.beginWork()
            loop.agenda.hasDrained = true
            loop.budget.spend(WorkCost.ready.steps(count))
            while let channel = outbox.takeWrittenChannel() { notifyReady(channel) }
        }
        countMemory()
        if !loop.tally.isSettled { loop.askForTurnEnd() }
        if !outbox.isEmpty || inbox.mayHaveInput || !usage.nearLimits.isEmpty {
            loop.flush(self)
        }
    }

    private func notifyReady(_ channel: Channel) {
        let id = id
        switch channel {
        case .room(let handle):
            guard membership(handle) != nil else { return }
            if loop.loopIndex(of: handle) == loop.index {
                loop.hosts[handle]?.ready(id)
            } else {
                loop.onRoom(handle) { $0.ready(id) }
            }
        case .request(let request):
            guard let target = requests[request] else { return }
            let key = feedKey(request)
            loop.on(target) { $0.feedIsReady(key) }
        }
    }
}

extension ByteWriter {
    /// Adds the result of a transaction, as a frame.
    fileprivate mutating func writeFrame(_ result: Authors.Result, of room: RoomHandle) {
        if let revision = result.plainCommit {
            return writeAckFrame(room: room, counter: result.counter, revision: revision)
        }
        switch result.outcome {
        case .committed(let commit):
            writeFrame(.ack(Ack(room: room, counter: result.counter, commit: commit)))
        case .rejected(let rejection):
            writeFrame(
                .reject(Reject(room: room, counter: result.counter, rejection: rejection)))
        }
    }
}

/// The output of a connection: the parts of the next write, and figures of the write in flight.
///
/// At most one write is in flight, and its size is bounded. A part may belong to a channel, which
/// is notified when the part is written. Answers and messages about the connection have no channel.
/// Nothing else bounds these, so they are counted separately.
struct Outbox {
    /// The parts of the next write.
    private var parts: [SharedBytes] = []
    /// The channels of those parts, and of the parts in flight.
    private var channels: [Channel] = []
    private var channelsInFlight: [Channel] = []
    /// Queued bytes, and bytes in flight.
    private(set) var byteCount = 0
    private(set) var bytesInFlight = 0
    private var partsInFlight = 0
    /// Of both, the bytes without a channel.
    private var newUnchanneledBytes = 0
    private var unchanneledBytesInFlight = 0
    private(set) var isWriting = false
    /// When the last write began, in milliseconds of the loop's time.
    private(set) var lastSent: UInt64
    /// The unsent bytes of the write at the last check, and when they last became fewer.
    private var leastUnsent = Int.max
    private var lastTaken: UInt64 = 0

    /// An array of more parts frees its memory after a write.
    private static let retainedParts = 4
    /// How many parts and bytes a write has at most; its last part may exceed the bytes.
    private static let maximumWriteParts = 1024
    private static let maximumWriteBytes = 256 << 10
    /// A write up to this size is little work; if others wait for their turn, up to the second
    /// size.
    private static let smallBytes = 16 << 10
    private static let smallBytesOfMany = 4 << 10

    init(at now: UInt64) {
        lastSent = now
    }

    var isEmpty: Bool { parts.isEmpty }

    /// The bytes without a channel that wait or are in flight.
    var unchanneledBytes: Int { newUnchanneledBytes + unchanneledBytesInFlight }

    var allBytes: Int { byteCount + bytesInFlight }

    var memoryBytes: Int { allBytes + (parts.count + partsInFlight) * Outbox.bytesOfPart }

    /// What a part uses beside its bytes: an object, and its place in the arrays.
    private static let bytesOfPart = 96

    @inline(__always)
    mutating func append(_ bytes: SharedBytes, of channel: Channel?) {
        parts.append(bytes)
        byteCount += bytes.count
        if let channel {
            if channels.last != channel { channels.append(channel) }
        } else {
            newUnchanneledBytes += bytes.count
        }
    }

    /// Whether the next write is little work.
    ///
    /// - Parameter isFree: whether no other connection waits for a write.
    func isSmall(_ isFree: Bool) -> Bool {
        byteCount <= (isFree ? Outbox.smallBytes : Outbox.smallBytesOfMany)
    }

    /// Writes the queued parts, as far as one write goes.
    @inline(__always)
    mutating func write(to stream: any ByteStream, at now: UInt64) {
        guard byteCount <= Outbox.maximumWriteBytes, parts.count <= Outbox.maximumWriteParts else {
            return writeSome(to: stream, at: now)
        }
        writeAll(to: stream, at: now)
    }

    /// Writes the first of very many parts. Their channels are notified when all are written.
    private mutating func writeSome(to stream: any ByteStream, at now: UInt64) {
        var (count, bytes) = (0, 0)
        while count < min(parts.count, Outbox.maximumWriteParts), bytes < Outbox.maximumWriteBytes {
            bytes += parts[count].count
            count += 1
        }
        if count == parts.count { return writeAll(to: stream, at: now) }
        bytesInFlight = bytes
        byteCount -= bytes
        leastUnsent = .max
        isWriting = true
        lastSent = now
        stream.write(Array(parts[..<count]))
        parts.removeFirst(count)
    }

    @inline(__always)
    private mutating func writeAll(to stream: any ByteStream, at now: UInt64) {
        swap(&channels, &channelsInFlight)
        unchanneledBytesInFlight = newUnchanneledBytes
        newUnchanneledBytes = 0
        bytesInFlight = byteCount
        byteCount = 0
        leastUnsent = .max
        isWriting = true
        lastSent = now
        partsInFlight = parts.count
        stream.write(parts)
        // The cheapest way to empty an array.
        if parts.count == 1 {
            parts.removeLast()
        } else {
            parts.removeAll(keepingCapacity: parts.count <= Outbox.retainedParts)
        }
    }

    mutating func didWrite() {
        isWriting = false
        unchanneledBytesInFlight = 0
        bytesInFlight = 0
        partsInFlight = 0
    }

    /// How many channels are to be notified that their parts are written.
    var writtenChannelCount: Int { channelsInFlight.count }

    /// Removes and returns a channel whose parts are written; `nil` when there is none.
    mutating func takeWrittenChannel() -> Channel? { channelsInFlight.popLast() }

    /// Drops everything: the connection is closed.
    mutating func removeAll() {
        parts = []
        byteCount = 0
        bytesInFlight = 0
        partsInFlight = 0
    }

    /// Whether the system has accepted nothing of the write in flight for some time.
    ///
    /// - Parameters:
    ///   - unsent: the bytes that it has not accepted yet.
    ///   - listened: the time of the clock that measures silence.
    mutating func isStuck(unsent: Int, listened: UInt64, for patience: UInt64) -> Bool {
        guard isWriting else { return false }
        if unsent < leastUnsent {
            leastUnsent = unsent
            lastTaken = listened
        }
        return listened - min(listened, lastTaken) >= patience
    }
}
