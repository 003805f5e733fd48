import SyncAccess
import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// The input of a connection that is not read yet, and what decides when it is read.
struct Inbox: ~Copyable {
    var frames: FrameDecoder
    /// Whether nothing has come yet.
    var isFresh = true
    /// The memory for frames that come in parts, as it was last counted.
    var countedFrameBytes = 0
    /// Received bytes that wait to be read: the rest of a buffer, without copying it.
    var buffered: ArraySlice<UInt8> = []
    /// When bytes last came, by the clock that measures silence.
    var lastReceived: UInt64
    /// When the first byte of an unfinished frame came.
    var frameBegan: UInt64?
    /// Whether reading waits because too much output or too many answers are pending.
    var isCrowded = false
    /// Whether it is read on in the next turn, and not before.
    var isWaitingForTurn = false
    /// Whether reading is paused, so that input stays with the system.
    var isPaused = false
    /// A message for a room whose join is in flight. Nothing more is read until the join is
    /// answered.
    var early: EarlyMessage?
    /// A token that is being verified. Nothing more is read until that is done.
    var tokenCheck: TokenCheck?

    init(maximumFrameBytes: Int, at listened: UInt64) {
        frames = FrameDecoder(maximumFrameBytes: maximumFrameBytes)
        lastReceived = listened
    }

    /// Whether input may wait, here or with the system.
    var mayHaveInput: Bool { isPaused || !buffered.isEmpty }

    /// The memory for input. A buffer also contains the bytes before its rest, which were read
    /// already.
    var byteCount: Int { frames.memoryBytes + buffered.endIndex + (early?.bytes ?? 0) }

    /// Notes when an unfinished frame began, if there is one.
    mutating func noteFrameUnderWay(at listened: UInt64) {
        if frameBegan == nil, !frames.isAtBoundary { frameBegan = listened }
    }

    /// Whether an unfinished frame takes too long.
    ///
    /// - Parameters:
    ///   - timeout: the time that every frame has, in milliseconds.
    ///   - bytesPerSecond: the speed that gives a frame more time.
    func isFrameOverdue(listened: UInt64, timeout: UInt64, bytesPerSecond: UInt64) -> Bool {
        guard let frameBegan, !mayHaveInput else { return false }
        let earned = UInt64(frames.partialBytes) * 1000 / bytesPerSecond
        return listened - min(listened, frameBegan) >= timeout + earned
    }
}

/// Input that is being decoded.
struct FrameRun {
    var rest: UnsafeRawBufferPointer
    /// The buffer that it is the end of, if it was buffered before.
    var buffered: ArraySlice<UInt8> = []
    /// How many steps this connection may still take before it is another's turn.
    var stepsLeft: Int
    /// Whether a frame that is much work has to wait.
    var smallFramesOnly = false
    /// How long the last frame was, inflated if it was deflated.
    var frameBytes = 0
    /// Its message, if that is no transaction.
    var message: ClientMessage?
    /// The request of the join that names its room, if it has no handle.
    var join: RequestID?
}

extension Session {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        loop.perform(.reading) { receive(bytes) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        inbox.lastReceived = loop.listenedMilliseconds
        guard phase == .greeting || phase == .open else { return }
        // To decrypt a record takes as long as to handle this many bytes.
        let recordBytes = transport.takeRecordCount() * Session.bytesOfRecord
        charge(bytes: max(bytes.count, recordBytes))
        if inbox.isFresh {
            inbox.isFresh = false
            if refusesGreeting(bytes) { return }
        }
        if inbox.buffered.isEmpty {
            read(bytes, atMost: Session.stepsPerRead)
            inbox.noteFrameUnderWay(at: loop.listenedMilliseconds)
            countFrame()
        } else {
            inbox.buffered.append(contentsOf: bytes)
        }
        if usage.messagesRead > 0 { charge(bytes: 0) }
    }

    /// Whether input has to wait.
    private var isFull: Bool {
        outbox.unchanneledBytes > Session.maximumUnchanneledBytes || loop.drain.isUnderWay
            || usage.isOverRate || inbox.isCrowded || inbox.early != nil
            || inbox.tokenCheck != nil
            || tasksUnderWay >= Session.maximumTasks
            || hasTooMuchUnanswered
    }

    private var hasTooMuchUnanswered: Bool {
        // By index, since retaining the list for each transaction costs more than the check.
        for index in memberships.indices {
            if memberships[index].unanswered >= loop.maximumUnanswered
                || memberships[index].unansweredBytes >= Session.maximumUnansweredBytes
            {
                return true
            }
        }
        return false
    }

    /// Goes on reading, unless input has to wait.
    ///
    /// - Parameters:
    ///   - steps: how many steps it may take.
    ///   - smallFramesOnly: whether a frame that is much work is left for another turn.
    func resumeReading(atMost steps: Int = Session.stepsPerTurn, smallFramesOnly: Bool = false) {
        guard inbox.mayHaveInput, !inbox.isWaitingForTurn else { return }
        // Other connections of its address may have read meanwhile.
        charge(bytes: 0)
        if inbox.isCrowded { noteCrowd() }
        guard !isFull else { return }
        let bytes = inbox.buffered
        inbox.buffered = []
        bytes.withUnsafeBytes {
            read($0, of: bytes, atMost: steps, smallFramesOnly: smallFramesOnly)
        }
        // The times for silence and for a frame start now, since nothing was read before.
        inbox.lastReceived = loop.listenedMilliseconds
        inbox.frameBegan = nil
        inbox.noteFrameUnderWay(at: loop.listenedMilliseconds)
        charge(bytes: 0)
        if phase == .open || phase == .greeting, inbox.buffered.isEmpty, !isFull {
            pauseReading(false)
        }
    }

    /// - Parameter buffered: the buffer of the bytes, if they were buffered before.
    private func read(
        _ bytes: UnsafeRawBufferPointer, of buffered: ArraySlice<UInt8> = [], atMost steps: Int,
        smallFramesOnly: Bool = false
    ) {
        noteCrowd()
        let budget = loop.budget
        budget.beginShare()
        let allowance = min(steps, budget.allowance)
        var input = FrameRun(
            rest: bytes, buffered: buffered, stepsLeft: allowance, smallFramesOnly: smallFramesOnly)
        defer { budget.spend(allowance - input.stepsLeft) }
        let decoder = loop.codec.decoder
        do throws(WireError) {
            var submit = try readFrame(&input, with: decoder)
            while true {
                if let first = submit {
                    loop.watchdog.message = "submit"
                    guard let named = named(first, input) else {
                        submit = try readFrame(&input, with: decoder)
                        continue
                    }
                    submit = try take(named, andMoreOf: &input, with: decoder)
                } else if let message = input.message.take() {
                    loop.watchdog.message = message.name
                    input.stepsLeft &-= message.steps(frameBytes: input.frameBytes)
                    if let named = named(message, input) { handle(named) }
                    submit = try readFrame(&input, with: decoder)
                } else {
                    return
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Reads the next valid frame, and answers the invalid ones before it.
    ///
    /// - Returns: the transaction in it. If it has another message, that is in `input.message`.
    ///   Else there is no complete frame, or input has to wait.
    func readFrame(
        _ input: inout FrameRun, with decoder: MessageDecoder
    ) throws(WireError) -> SubmitView? {
        while phase == .greeting || phase == .open {
            if isFull {
                deferInput(input)
                return nil
            }
            if input.stepsLeft <= 0
                || input.smallFramesOnly && !inbox.frames.isNextSmall(in: input.rest)
            {
                waitForTurn(input)
                return nil
            }
            let bytes = input.rest.count
            guard let frame = try inbox.frames.next(&input.rest) else {
                // The bytes of an unfinished frame are copied, too.
                input.stepsLeft &-= WorkCost.frameBytes.steps(bytes)
                return nil
            }
            inbox.frameBegan = nil
            input.frameBytes = frame.count
            usage.messagesRead &+= 1
            input.stepsLeft &-=
                WorkCost.frame.steps() &+ WorkCost.frameBytes.steps(frame.count)
            do throws(WireError) {
                // Decoding an invalid frame costs time, too.
                defer { payForDecoding(&input, decoder) }
                return try decoder.readClientFrame(
                    frame, &input.message, naming: &input.join, isGreeting: phase == .greeting)
            } catch {
                if let named = named(error, input) { try refuse(named, bytes: input.frameBytes) }
            }
        }
        return nil
    }

    /// Charges the cost of decoding the last frame to this connection and its usage.
    @inline(__always)
    private func payForDecoding(_ input: inout FrameRun, _ decoder: MessageDecoder) {
        guard let work = decoder.takeWork() else { return }
        input.stepsLeft &-=
            WorkCost.inflation.steps(work.inflatedFrames)
            &+ WorkCost.inflatedBytes.steps(work.inflatedBytes)
            &+ WorkCost.checkedBytes.steps(work.checkedBytes)
            &+ WorkCost.looseBytes.steps(work.nonCanonicalBytes)
        guard work.inflatedBytes > input.frameBytes else { return }
        // The received bytes are charged already.
        usage.inflatedRead &+= work.inflatedBytes &- input.frameBytes
        input.frameBytes = work.inflatedBytes
    }

    /// Buffers the rest of the input, and pauses reading.
    private func deferInput(_ input: borrowing FrameRun) {
        if input.buffered.isEmpty {
            inbox.buffered.append(contentsOf: input.rest)
        } else if !input.rest.isEmpty {
            inbox.buffered = input.buffered.suffix(input.rest.count)
        }
        pauseReading(true)
    }

    /// Leaves the rest for the next turn, if there is any.
    private func waitForTurn(_ input: borrowing FrameRun) {
        if input.rest.isEmpty { return }
        deferInput(input)
        loop.budget.noteRest()
        loop.readLater(self, isSmall: isNextSmall(in: input.rest))
    }

    /// Schedules reading for the next turn, unless input still has to wait.
    func readOn() {
        guard !inbox.isWaitingForTurn else { return }
        if inbox.isCrowded { noteCrowd() }
        guard !isFull else { return }
        let isSmall = inbox.buffered.withUnsafeBytes { isNextSmall(in: $0) }
        loop.readLater(self, isSmall: isSmall)
    }

    /// Whether the next frame is little work. Frames of newcomers count as large: if very many come
    /// at once, connections that are in rooms go first.
    private func isNextSmall(in input: UnsafeRawBufferPointer) -> Bool {
        !memberships.isEmpty && inbox.frames.isNextSmall(in: input)
    }

    /// Answers an invalid frame, unless it ends the connection.
    func refuse(_ error: WireError, bytes: Int) throws(WireError) {
        if case .broken = error { throw error }
        switch error {
        case .refusedSubmit(let room, let counter, let rejection):
            guard countSubmit(to: room, counter: counter, bytes: bytes) else { return }
            loop.onRoom(room) { [id] in $0.refuse(rejection, counter, id) }
        case .broken, .refused, .unknownMessage:
            let message = error.message
            // Only a renewal has one.
            if message.code == .badToken { note(.renew, .badToken, message.text, of: nil) }
            send(.error(message))
        }
    }

    func fail(_ error: WireError) {
        let message = error.message
        // Only a hello has one.
        if message.code == .badToken { note(.signIn, .badToken, message.text, of: nil) }
        fail(message.code, message.text)
    }

    func handle(_ message: ClientMessage) {
        // The decoder has refused what is not allowed before the hello, or after it.
        if case .hello(let hello) = message { return greet(hello) }
        guard authorize(message) else { return }
        switch message {
        case .hello: break
        case .renew(let renew): self.renew(renew)
        case .revoke(let revoke): self.revoke(revoke)
        case .join(let join): self.join(join)
        case .leave(let leave): self.leave(leave)
        // Transactions are handled without a copy, see `take`.
        case .submit: break
        case .heartbeat(let beat): receive(beat)
        case .listRooms(let list): listRooms(list)
        case .readStats(let read):
            let isOperator = principal.access.roles.has(.admin, inAllRooms: ())
            let figures = usage.account?.figures(at: loop.loop.nowMilliseconds) ?? Figures()
            request(read.request, of: read.room) {
                $0.readStats($1, of: read.room, withServer: isOperator, account: figures)
            }
        case .deleteRoom(let delete):
            let event = event(.deleteRoom, in: delete.room)
            request(delete.request, of: delete.room) {
                $0.deleteRoom(delete.room, for: $1, noting: event)
            }
        case .readSnapshot(let read):
            request(read.request, of: read.room) { $0.readSnapshot(read, for: $1) }
        case .readHistory(let read):
            request(read.request, of: read.room) { $0.readHistory(read, for: $1) }
        case .readItems(let read):
            request(read.request, of: read.room) { $0.readItems(read, for: $1) }
        case .view(let request): view(request)
        case .presence(let presence): present(presence)
        case .drag(let drag): self.drag(drag)
        }
    }

    private func receive(_ beat: Heartbeat) {
        let id = id
        for reached in beat.rooms where membership(reached.room) != nil {
            tasksUnderWay += 1
            loop.on(loop.loopIndex(of: reached.room)) { loop in
                loop.hosts[reached.room]?.room.acknowledge(
                    reached.revision, of: reached.origin, by: id)
                loop.onConnection(id) { $0.taskIsOver() }
            }
        }
    }
}

extension ClientMessage {
    fileprivate var name: StaticString {
        switch self {
        case .hello: "hello"
        case .renew: "renew"
        case .revoke: "revoke"
        case .join: "join"
        case .leave: "leave"
        case .submit: "submit"
        case .heartbeat: "heartbeat"
        case .listRooms: "listRooms"
        case .readStats: "readStats"
        case .deleteRoom: "deleteRoom"
        case .readSnapshot: "readSnapshot"
        case .readHistory: "readHistory"
        case .readItems: "readItems"
        case .view: "view"
        case .presence: "presence"
        case .drag: "drag"
        }
    }
}

extension ClientMessage {
    /// About how many steps a message costs beyond those of its frame. Transactions are counted
    /// elsewhere.
    ///
    /// A request goes to another queue or thread and comes back with an answer. The cost of the
    /// answer is counted where it is made.
    ///
    /// - Parameter frameBytes: how long its frame is, inflated.
    func steps(frameBytes: Int) -> Int {
        let fixed =
            switch self {
            case .submit: 0
            case .hello, .leave, .presence, .drag: WorkCost.message.steps()
            case .heartbeat(let beat): WorkCost.heldRevision.steps(1 + beat.rooms.count)
            case .renew, .revoke, .join, .listRooms, .readStats, .deleteRoom, .readSnapshot,
                .readHistory, .readItems, .view:
                WorkCost.request.steps()
            }
        // Messages are decoded into objects, which a transaction is not.
        return fixed + WorkCost.messageBytes.steps(frameBytes)
    }
}
