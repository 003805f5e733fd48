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

    var encoding: FrameEncoding { features.contains(.deflate) ? .deflated : .plain }

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
