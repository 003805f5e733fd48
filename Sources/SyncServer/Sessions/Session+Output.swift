import SyncBytes
import SyncIO
import SyncRoom
import SyncWire

extension Session {
    func say(_ message: ServerMessage) {
        guard phase == .greeting || phase == .open else { return }
        let frame = loop.codec.encoder.encode(message)
        add(frame.bytes(by: loop.codec.encoder(in: encoding)), of: nil)
    }

    var encoding: FrameEncoding {
        if features.contains(.deflate) { return .deflated }
        return features.contains(.plainDeflate) ? .plainDeflated : .plain
    }

    /// Takes bytes to write with the next flush.
    ///
    /// - Parameter channel: whose they are; it is told when they are written. `nil` for answers and
    ///   what concerns the connection.
    func add(_ bytes: SharedBytes, of channel: Channel?) {
        guard phase == .greeting || phase == .open else { return }
        outbox.append(bytes, of: channel)
        loop.flush(self)
    }

    func take(_ parts: [SharedBytes], of channel: Channel) {
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
        // Where they lie: a copy of each would cost as much as its frame.
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

    /// Writes what there is, as far as one write goes, and has it read on if that was put off.
    ///
    /// - Parameter now: the loop's time.
    /// - Returns: how many steps that took.
    func flush(at now: UInt64) -> Int {
        if phase == .open, inbox.isPutOff { readOn() }
        guard !outbox.isEmpty, !outbox.isWriting, phase != .closed else { return 1 }
        outbox.write(to: stream, at: now)
        return WorkCost.write.steps() + WorkCost.writtenBytes.steps(outbox.bytesInFlight)
    }

    func streamDidDrain() {
        outbox.didWrite()
        if phase == .leaving, outbox.isEmpty { return linger() }
        let count = outbox.writtenChannelCount
        if count > 0 {
            loop.beginWork()
            loop.agenda.hasDrained = true
            loop.budget.spend(WorkCost.ready.steps(count))
            while let channel = outbox.takeWrittenChannel() { tellReady(channel) }
        }
        countMemory()
        if !loop.tally.isSettled { loop.askForTurnEnd() }
        if !outbox.isEmpty || inbox.isPutOff { loop.flush(self) }
    }

    private func tellReady(_ channel: Channel) {
        let id = id
        switch channel {
        case .room(let handle):
            guard membership(handle) != nil else { return }
            if loop.loopIndex(of: handle) == loop.index {
                loop.hosts[handle]?.ready(id)
            } else {
                loop.reach(handle) { $0.ready(id) }
            }
        case .request(let request):
            guard let target = requests[request] else { return }
            let key = feedKey(request)
            loop.on(target) { $0.feedIsReady(key) }
        }
    }
}

extension ByteWriter {
    /// Adds what a member is told about a transaction, as a frame.
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

/// What a connection is to be sent: the parts of the next write, and what is known of the write in
/// flight.
///
/// One write is in flight at most, and of bounded size. Each part belongs to a channel, which
/// learns when it is written, or to none: answers and words about the connection, which nothing
/// else bounds, so they are counted apart.
struct Outbox {
    /// The parts of the next write.
    private var parts: [SharedBytes] = []
    /// The channels of those parts, and of the parts in flight.
    private var channels: [Channel] = []
    private var channelsInFlight: [Channel] = []
    /// Bytes that wait, and bytes in flight.
    private(set) var byteCount = 0
    private(set) var bytesInFlight = 0
    private var partsInFlight = 0
    /// Of both, the bytes without a channel.
    private var plainBytes = 0
    private var plainBytesInFlight = 0
    private(set) var isWriting = false
    /// When the last write began, in milliseconds of the loop's time.
    private(set) var lastSent: UInt64
    /// The bytes of the write that the system had not taken at the last look, and when they last
    /// became fewer.
    private var leastUnsent = Int.max
    private var lastTaken: UInt64 = 0

    /// An array for more parts gives its memory back.
    private static let keptParts = 4
    /// A write has so many parts and bytes at most, and what its last part goes over that.
    private static let maximumWriteParts = 1024
    private static let maximumWriteBytes = 256 << 10
    /// One of so many bytes is little work; where others wait for their turn, one of so many.
    private static let smallBytes = 16 << 10
    private static let smallBytesOfMany = 4 << 10

    init(at now: UInt64) {
        lastSent = now
    }

    var isEmpty: Bool { parts.isEmpty }

    /// The bytes without a channel that wait or are in flight.
    var unchanneledBytes: Int { plainBytes + plainBytesInFlight }

    var allBytes: Int { byteCount + bytesInFlight }

    var memoryBytes: Int { allBytes + (parts.count + partsInFlight) * Outbox.bytesOfPart }

    /// What a part takes beside its bytes: an object, and its place in the arrays.
    private static let bytesOfPart = 96

    @inline(__always)
    mutating func append(_ bytes: SharedBytes, of channel: Channel?) {
        parts.append(bytes)
        byteCount += bytes.count
        if let channel {
            if channels.last != channel { channels.append(channel) }
        } else {
            plainBytes += bytes.count
        }
    }

    /// Whether to write it is little work.
    ///
    /// - Parameter isFree: whether nobody waits for a write.
    func isSmall(_ isFree: Bool) -> Bool {
        byteCount <= (isFree ? Outbox.smallBytes : Outbox.smallBytesOfMany)
    }

    /// Writes what waits, as far as one write goes.
    @inline(__always)
    mutating func write(to stream: any ByteStream, at now: UInt64) {
        guard byteCount <= Outbox.maximumWriteBytes, parts.count <= Outbox.maximumWriteParts else {
            return writeSome(to: stream, at: now)
        }
        writeAll(to: stream, at: now)
    }

    /// Writes the first of very many parts. Their channels are told when all are written.
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
        plainBytesInFlight = plainBytes
        plainBytes = 0
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
            parts.removeAll(keepingCapacity: parts.count <= Outbox.keptParts)
        }
    }

    mutating func didWrite() {
        isWriting = false
        plainBytesInFlight = 0
        bytesInFlight = 0
        partsInFlight = 0
    }

    /// How many channels have their parts written and were not taken.
    var writtenChannelCount: Int { channelsInFlight.count }

    /// A channel whose parts are written; `nil` when all were taken.
    mutating func takeWrittenChannel() -> Channel? { channelsInFlight.popLast() }

    /// Drops everything: the connection is closed.
    mutating func removeAll() {
        parts = []
        byteCount = 0
        bytesInFlight = 0
        partsInFlight = 0
    }

    /// Whether the system has taken nothing of the write in flight for some time.
    ///
    /// - Parameters:
    ///   - unsent: the bytes that it has still to take.
    ///   - heard: the time on the clock by which silence is measured.
    mutating func isStuck(unsent: Int, heard: UInt64, for patience: UInt64) -> Bool {
        guard isWriting else { return false }
        if unsent < leastUnsent {
            leastUnsent = unsent
            lastTaken = heard
        }
        return heard - min(heard, lastTaken) >= patience
    }
}
