import SyncBytes
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

extension RoomHost {
    /// Gives what came in this tick to the store. While enough is on its way, the tick goes on, unless
    /// its record is full.
    func endTick(isFull: Bool = false) {
        guard phase == .open, let room else { return sendAnswers() }
        room.applyQueued()
        if isFull || appendsUnderWay < RoomHost.maximumAppendsUnderWay,
            let record = room.endTick(wallClockMilliseconds: loop.loop.wallClockMilliseconds)
        {
            append(record)
            takeImageIfDue(after: record, room)
        }
        sendAnswers()
    }

    private func append(_ record: RoomRecord) {
        appendsUnderWay += 1
        tailBytes += record.body.count
        tailRevisions += record.lastRevision + 1 - record.firstRevision
        let post = loop.peers[loop.index]
        let handle = handle
        loop.context.store.append(LogRecord(record), to: name.text) { result in
            post.post { loop in
                loop.hosts[handle]?.didAppend(record.sequence, result)
            }
        }
    }

    private func didAppend(_ sequence: UInt64, _ result: Result<Void, StoreError>) {
        appendsUnderWay -= 1
        guard let room, phase == .open else { return }
        switch result {
        case .success where !hasAppendFailed:
            room.appended(through: sequence)
            saveImage(ifCoveredBy: sequence)
            loop.compose(self)
            // What came meanwhile is the next record.
            loop.touch(self)
        case .success: break
        case .failure(let error): didFailToAppend(error, room)
        }
        if hasAppendFailed, appendsUnderWay == 0 { reopen() }
    }

    /// Nothing that was not durable stands. The room is opened again when the store has answered for
    /// all that is on its way.
    private func didFailToAppend(_ error: StoreError, _ room: Room) {
        if !hasAppendFailed {
            loop.context.log.log(
                .error, "the store has refused a record",
                ["room": name.text, "why": error.description])
        }
        hasAppendFailed = true
        image = nil
        room.suspend()
        sendAnswers()
    }

    private func reopen() {
        hasAppendFailed = false
        open()
    }

    /// Sends the answers that may leave. A member's transactions come in runs, and so do its answers:
    /// each run is sent at once.
    func sendAnswers() {
        guard let room else { return }
        let answers = room.takeAnswers()
        var start = 0
        while start < answers.count {
            let id = answers[start].member
            var end = start + 1
            while end < answers.count, answers[end].member == id { end += 1 }
            let bytes = encode(answers[start..<end])
            let (handle, count) = (handle, end - start)
            loop.on(id.loopIndex) { $0.answer(id, bytes, count: count, in: handle) }
            start = end
        }
    }

    private func encode(_ answers: ArraySlice<Room.Answer>) -> SharedBytes {
        let loop = loop
        loop.writer.reset()
        for answer in answers {
            switch answer.outcome {
            case .committed(let commit):
                loop.writer.writeFrame(
                    Ack(room: handle, counter: answer.counter, commit: commit))
            case .rejected(let rejection):
                loop.writer.writeFrame(
                    ServerMessage.reject(
                        Reject(room: handle, counter: answer.counter, rejection: rejection)))
            }
        }
        return SharedBytes(copying: loop.writer.bytes)
    }

    /// Sends members what they lack, after the answers that belong before it.
    func compose() {
        guard let room else { return }
        sendAnswers()
        room.compose(with: loop.encoder, at: loop.loop.nowMilliseconds) { delivery in
            send(delivery)
        }
        if let due = room.viewsDue { composeAgain(at: due) }
        checkIdle()
    }

    /// Comes back when views are to be told more.
    private func composeAgain(at due: UInt64) {
        if let known = viewTimer {
            guard due < known.due else { return }
            known.timer.cancel()
        }
        let now = loop.loop.nowMilliseconds
        let timer = loop.loop.schedule(afterMilliseconds: due - min(due, now)) { [self] in
            viewTimer = nil
            loop.compose(self)
        }
        viewTimer = (timer, due)
    }

    /// One post for each other loop, with the bytes that all its connections share.
    private func send(_ delivery: Delivery) {
        // What a view is told is for one.
        if delivery.members.count == 1 {
            let member = delivery.members[0]
            let target = Target(loop: member.id.loopIndex, isDeflated: member.readsDeflated)
            return send(delivery.frames, to: [member.id], at: target)
        }
        var targets: [(target: Target, ids: [MemberID])] = []
        for member in delivery.members {
            let target = Target(loop: member.id.loopIndex, isDeflated: member.readsDeflated)
            if let index = targets.firstIndex(where: { $0.target == target }) {
                targets[index].ids.append(member.id)
            } else {
                targets.append((target, [member.id]))
            }
        }
        for (target, ids) in targets { send(delivery.frames, to: ids, at: target) }
    }

    private func send(_ frames: ArraySlice<EncodedFrame>, to ids: [MemberID], at target: Target) {
        let channel = Channel.room(handle)
        let deflater = target.isDeflated ? loop.deflater : nil
        let parts = frames.map { $0.bytes(deflatedBy: deflater) }
        if target.loop == loop.index {
            loop.deliver(parts, of: channel, to: ids)
        } else {
            loop.on(target.loop) { $0.deliver(parts, of: channel, to: ids) }
        }
    }

    private struct Target: Equatable {
        var loop: Int
        var isDeflated: Bool
    }
}
