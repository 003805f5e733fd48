import SyncModel
import SyncWire

// A member's transactions and their answers.
extension Membership {
    /// The number of the last transaction, also of the client's former memberships in the room: a
    /// number is used once.
    package var lastCounter: UInt64 { author.lastCounter }

    /// Queues operations as one transaction.
    ///
    /// - Parameters:
    ///   - counter: its number, ascending; without one the next.
    ///   - base: the last revision its author had seen; without one, the client's revision.
    ///   - origin: the history that the base belongs to; without one, that of the client's content.
    ///   - isAllOrNothing: see ``ListTransaction``.
    /// - Returns: its number.
    @discardableResult
    func enqueue(
        _ operations: [ListOperation], base: Revision?, origin: Origin?, counter: UInt64?,
        isAllOrNothing: Bool = false, answer: @escaping (Answer) -> Void
    ) -> UInt64 {
        let counter = counter ?? lastCounter &+ 1
        guard counter <= WireProtocol.greatestNumber else {
            answer(.rejected(.numberTooGreat))
            observer?.membershipDidAnswer(counter, .rejected(.numberTooGreat))
            return counter
        }
        author.numberOn(after: counter)
        if isEnded {
            answer(.unknown(.closed))
            return counter
        }
        if isOutdated, options.isViewOnly, !views.isAnyOpen {
            // No open view will bring a revision of the current room.
            setRevision(joinedRevision)
        }
        if isOutdated, origin == nil {
            answer(.rejected(.roomChanged))
            observer?.membershipDidAnswer(counter, .rejected(.roomChanged))
            return counter
        }
        let transaction = ListTransaction(
            base: base ?? revision ?? 0, operations: operations, isAllOrNothing: isAllOrNothing)
        do throws(Rejection) {
            let packed = try PackedTransaction(transaction)
            submissions.append(
                Submission(
                    counter: counter, transaction: packed, hasGuards: transaction.hasGuards,
                    origin: origin,
                    madeFor: origin ?? self.origin, answer: answer))
        } catch {
            answer(.rejected(error))
            observer?.membershipDidAnswer(counter, .rejected(error))
        }
        return counter
    }

    /// Sends the transactions that may be sent now.
    ///
    /// - Parameters:
    ///   - limit: how many transactions may be unanswered.
    ///   - takesGuards: whether the server knows guards. Another would apply an operation without
    ///     its guard.
    ///   - hasRoom: whether the connection has room for more.
    ///   - send: writes the message; `nil` if it is larger than the server accepts.
    func pump(
        limit: Int, takesGuards: Bool, while hasRoom: () -> Bool,
        send: (Submit, _ join: RequestID?) -> Int?
    ) {
        guard let name else { return }
        while hasRoom(), let submission = submissions.takeNext(limit: limit) {
            guard takesGuards || !submission.hasGuards else {
                refuse(
                    submission,
                    Rejection(code: .malformed, message: "this server knows no guards"))
                continue
            }
            let submit = Submit(
                room: name.handle, counter: submission.counter,
                transaction: submission.transaction, origin: foreignOrigin(of: submission))
            if let bytes = send(submit, name.join) {
                author.didSend(submission.counter)
                submissions.didSend(submission, bytes: bytes)
            } else {
                refuse(
                    submission,
                    Rejection(
                        code: .limitExceeded,
                        message: "the transaction is larger than the server takes; make several"))
            }
        }
    }

    /// The origin that is sent with a transaction; `nil` if the server knows it. Until the join is
    /// answered the origin is sent, since the room may be another one.
    private func foreignOrigin(of submission: Submission) -> Origin? {
        if pendingJoin != nil {
            return submission.origin ?? submission.madeFor
        }
        guard let origin = submission.origin,
            identity?.includes(submission.transaction.base, of: origin) != true
        else { return nil }
        return origin
    }

    /// The number up to which all sent transactions are answered. It is right only while none is in
    /// flight.
    var answeredThrough: UInt64 {
        min(author.sentCounter, submissions.firstUnsent.map { max($0, 1) - 1 } ?? .max)
    }

    /// Whether a transaction is still to be sent.
    func isWaiting(_ counter: UInt64) -> Bool {
        submissions.firstUnsent.map { $0 <= counter } ?? false
    }

    /// Refuses a transaction that can't be sent at all.
    private func refuse(_ submission: Submission, _ rejection: Rejection) {
        var submission = submission
        submissions.didSettle(&submission)
        answer(submission, .rejected(rejection))
    }

    func didReceive(_ ack: Ack) throws(ClientError) {
        guard
            let submission = submissions.takeAnswered(
                ack.counter, sentThrough: author.sentCounter)
        else { return }
        answer(submission, .committed(ack.commit))
        try deliverNews()
    }

    func didReceive(_ reject: Reject) throws(ClientError) {
        guard
            let submission = submissions.takeAnswered(
                reject.counter, sentThrough: author.sentCounter)
        else { return }
        if reject.rejection.code == .unavailable {
            submissions.keepRefused(
                submission, forMilliseconds: reject.rejection.retryAfterMilliseconds)
        } else {
            var rejection = reject.rejection
            rejection.message = rejection.message.boundedSentence
            answer(submission, .rejected(rejection))
        }
        try deliverNews()
    }

    /// Whether no answer is awaited: to a transaction, to a view's opening or to a drag.
    package var isAllAnswered: Bool {
        submissions.isEmpty && !views.awaitsFirst && !drags.isAwaited
    }

    /// Whether transactions that the server could not take may be resent after a delay.
    var awaitsRetry: Bool { submissions.awaitsRetry }

    /// Begins the delay before they are resent, if it has not begun.
    ///
    /// - Returns: the least delay that the server asks for, in milliseconds.
    func beginRetry() -> UInt64? { submissions.beginRetry() }

    /// Ends the delay. Returns whether there is something to resend.
    func endRetry() -> Bool { submissions.endRetry() }

    func retryRefused() {
        submissions.retryRefused()
        ownPresence.repeatState()
    }

    func answer(_ submission: Submission, _ answer: Answer) {
        submission.answer(answer)
        observer?.membershipDidAnswer(submission.counter, answer)
    }

    /// Handles the answers that a join's answer brings, in ascending order. Those are all answers
    /// up to `answeredThrough` that the room knows. It sends any other before the batch that shows
    /// its transaction.
    func takeEarlyAnswers(_ joined: Joined) throws(ClientError) {
        var rejects = joined.rejects[...]
        for ack in joined.acks {
            while let reject = rejects.first, reject.counter < ack.counter {
                rejects.removeFirst()
                try didReceive(reject)
            }
            try didReceive(ack)
        }
        for reject in rejects { try didReceive(reject) }
        submissions.didLearn(through: joined.answeredThrough)
    }
}
