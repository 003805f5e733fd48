import SyncBytes
import SyncIO
import SyncRoom
import SyncWire

/// What a connection has received and not read yet, and what decides when it is read.
struct Inbox: ~Copyable {
    var frames: FrameDecoder
    /// The memory for frames that come in parts, as it was counted.
    var countedFrameBytes = 0
    /// Bytes that came and wait to be read: the rest of what was held before, where it lies.
    var held: ArraySlice<UInt8> = []
    /// When bytes last came, by the clock that measures silence.
    var lastReceived: UInt64
    /// When the first byte of the frame came whose rest is still to come.
    var frameBegan: UInt64?
    /// Whether so much is to be taken or answered first that reading waits.
    var isCrowded = false
    /// Whether it is read on in the next turn, and not before.
    var isWaitingForTurn = false
    /// Whether what comes is left with the system.
    var isPaused = false
    /// What names a room by a join that is under way: until that is answered, nothing more is read.
    var early: EarlyMessage?

    init(maximumFrameBytes: Int, at heard: UInt64) {
        frames = FrameDecoder(maximumFrameBytes: maximumFrameBytes)
        lastReceived = heard
    }

    /// Whether something waits, here or with the system.
    var isPutOff: Bool { isPaused || !held.isEmpty }

    /// The memory for what came. What was read of it in front of the rest is there as long as that.
    var byteCount: Int { frames.memoryBytes + held.endIndex + (early?.bytes ?? 0) }

    /// Notes when a frame was begun, if one is under way.
    mutating func noteFrameUnderWay(at heard: UInt64) {
        if frameBegan == nil, !frames.isAtBoundary { frameBegan = heard }
    }

    /// Whether the frame under way takes too long.
    ///
    /// - Parameters:
    ///   - timeout: the milliseconds that any frame has.
    ///   - bytesPerSecond: the speed that earns a frame more time.
    func isFrameOverdue(heard: UInt64, timeout: UInt64, bytesPerSecond: UInt64) -> Bool {
        guard let frameBegan, !isPutOff else { return false }
        let earned = UInt64(frames.partialBytes) * 1000 / bytesPerSecond
        return heard - min(heard, frameBegan) >= timeout + earned
    }
}

/// Bytes on their way through the decoder of a connection.
struct FrameRun {
    var rest: UnsafeRawBufferPointer
    /// What it is the end of, if it was held before.
    var held: ArraySlice<UInt8> = []
    /// How many steps this connection may still take before it is another's turn.
    var stepsLeft: Int
    /// Whether a frame that is much work has to wait.
    var smallFramesOnly = false
    /// How long the last frame was, inflated if it was deflated.
    var frameBytes = 0
    /// What it said, if that was no transaction.
    var message: ClientMessage?
    /// The request of the join by which it named the room, if it did.
    var join: RequestID?
}

extension Session {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        loop.perform(.reading) { receive(bytes) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        inbox.lastReceived = loop.heardMilliseconds
        guard phase == .greeting || phase == .open else { return }
        if address.proxyHeader != nil { return receiveProxyHeader(bytes) }
        charge(bytes: bytes.count)
        if inbox.held.isEmpty {
            read(bytes, atMost: Session.stepsPerRead)
            inbox.noteFrameUnderWay(at: loop.heardMilliseconds)
            countFrame()
        } else {
            inbox.held.append(contentsOf: bytes)
        }
        if address.messagesRead > 0 { charge(bytes: 0) }
    }

    /// Whether what comes has to wait.
    private var isFull: Bool {
        outbox.unchanneledBytes > Session.maximumUnchanneledBytes || loop.drain.isUnderWay
            || address.isOverRate || inbox.isCrowded || inbox.early != nil
            || tasksUnderWay >= Session.maximumTasks
            || hasTooMuchUnanswered
    }

    private var hasTooMuchUnanswered: Bool {
        // By index: for each transaction, holding the list would cost more than the look.
        for index in memberships.indices {
            if memberships[index].unanswered >= loop.maximumUnanswered
                || memberships[index].unansweredBytes >= Session.maximumUnansweredBytes
            {
                return true
            }
        }
        return false
    }

    /// Reads on, as far as there is room for the answers, and in its turn.
    ///
    /// - Parameters:
    ///   - steps: what it may take.
    ///   - smallFramesOnly: whether a frame that is much work is left for another turn.
    func resumeReading(atMost steps: Int = Session.stepsPerTurn, smallFramesOnly: Bool = false) {
        guard inbox.isPutOff, !inbox.isWaitingForTurn else { return }
        // Others of its address may have read meanwhile.
        charge(bytes: 0)
        if inbox.isCrowded { noteCrowd() }
        guard !isFull else { return }
        let bytes = inbox.held
        inbox.held = []
        bytes.withUnsafeBytes {
            read($0, of: bytes, atMost: steps, smallFramesOnly: smallFramesOnly)
        }
        // Silence counts from now, and so does the time for a frame: before, nothing was listened
        // to.
        inbox.lastReceived = loop.heardMilliseconds
        inbox.frameBegan = nil
        inbox.noteFrameUnderWay(at: loop.heardMilliseconds)
        charge(bytes: 0)
        if phase == .open || phase == .greeting, inbox.held.isEmpty, !isFull {
            pauseReading(false)
        }
    }

    /// - Parameter held: what the bytes are, if they were held before.
    private func read(
        _ bytes: UnsafeRawBufferPointer, of held: ArraySlice<UInt8> = [], atMost steps: Int,
        smallFramesOnly: Bool = false
    ) {
        noteCrowd()
        let budget = loop.budget
        budget.beginShare()
        let allowance = min(steps, budget.allowance)
        var input = FrameRun(
            rest: bytes, held: held, stepsLeft: allowance, smallFramesOnly: smallFramesOnly)
        defer { budget.spend(allowance - input.stepsLeft) }
        let decoder = loop.codec.decoder
        do throws(WireError) {
            var submit = try readFrame(&input, with: decoder)
            while true {
                if let first = submit {
                    guard phase == .open else { throw .noHello }
                    loop.watchdog.message = "submit"
                    guard let named = named(first, input) else {
                        submit = try readFrame(&input, with: decoder)
                        continue
                    }
                    submit = try take(named, andMoreOf: &input, with: decoder)
                } else if let message = input.message.take() {
                    loop.watchdog.message = message.name
                    input.stepsLeft &-= message.steps(frameBytes: input.frameBytes)
                    if let named = named(message, input) { try handle(named) }
                    submit = try readFrame(&input, with: decoder)
                } else {
                    return
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Reads the next frame that can be understood, after saying what is wrong with those before
    /// it.
    ///
    /// - Returns: the transaction in it. If there is another message in it, that is in the input
    ///   now; else there is no frame yet, or no room for what comes of it.
    func readFrame(
        _ input: inout FrameRun, with decoder: MessageDecoder
    ) throws(WireError) -> SubmitView? {
        while phase == .greeting || phase == .open {
            if isFull {
                putOff(input)
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
                // Of a frame that has not come whole, too, each byte is copied.
                input.stepsLeft &-= WorkCost.frameBytes.steps(bytes)
                return nil
            }
            inbox.frameBegan = nil
            input.frameBytes = frame.count
            address.messagesRead &+= 1
            input.stepsLeft &-=
                WorkCost.frame.steps() &+ WorkCost.frameBytes.steps(frame.count)
            do throws(WireError) {
                // A frame that can't be read has its price, too.
                defer { payForDecoding(&input, decoder) }
                return try decoder.readClientFrame(
                    frame, &input.message, naming: &input.join,
                    inflatingTo: phase == .greeting ? Session.maximumHelloBytes : .max)
            } catch {
                if let named = named(error, input) { try refuse(named, bytes: input.frameBytes) }
            }
        }
        return nil
    }

    /// Takes what decoding the last frame has cost from what this connection and its address may
    /// do.
    @inline(__always)
    private func payForDecoding(_ input: inout FrameRun, _ decoder: MessageDecoder) {
        guard let work = decoder.takeWork() else { return }
        input.stepsLeft &-=
            WorkCost.inflation.steps(work.inflatedFrames)
            &+ WorkCost.inflatedBytes.steps(work.inflatedBytes)
            &+ WorkCost.checkedBytes.steps(work.checkedBytes)
            &+ WorkCost.looseBytes.steps(work.looseBytes)
        guard work.inflatedBytes > input.frameBytes else { return }
        // What came was counted as it is.
        address.inflatedRead &+= work.inflatedBytes &- input.frameBytes
        input.frameBytes = work.inflatedBytes
    }

    /// Keeps what can't be answered yet, and has the rest wait with the system.
    private func putOff(_ input: borrowing FrameRun) {
        if input.held.isEmpty {
            inbox.held.append(contentsOf: input.rest)
        } else if !input.rest.isEmpty {
            inbox.held = input.held.suffix(input.rest.count)
        }
        pauseReading(true)
    }

    /// Leaves the rest for the next turn, if there is any.
    private func waitForTurn(_ input: borrowing FrameRun) {
        if input.rest.isEmpty { return }
        putOff(input)
        loop.budget.noteRest()
        loop.readLater(self, isSmall: isNextSmall(in: input.rest))
    }

    /// Has it read on in its turn, if what it had to wait for has come.
    func readOn() {
        guard !inbox.isWaitingForTurn else { return }
        if inbox.isCrowded { noteCrowd() }
        guard !isFull else { return }
        let isSmall = inbox.held.withUnsafeBytes { isNextSmall(in: $0) }
        loop.readLater(self, isSmall: isSmall)
    }

    /// Whether it is little work to read on. What newcomers ask for is not: where very many come at
    /// once, those that are in rooms come before them.
    private func isNextSmall(in input: UnsafeRawBufferPointer) -> Bool {
        !memberships.isEmpty && inbox.frames.isNextSmall(in: input)
    }

    /// Says what is wrong with a frame, if that is not the end.
    func refuse(_ error: WireError, bytes: Int) throws(WireError) {
        if case .broken = error { throw error }
        guard phase == .open else { throw .noHello }
        switch error {
        case .refusedSubmit(let room, let counter, let rejection):
            guard countSubmit(to: room, counter: counter, bytes: bytes) else { return }
            loop.reach(room) { [id] in $0.refuse(rejection, counter, id) }
        case .broken, .refused, .unknownMessage: say(.error(error.message))
        }
    }

    func fail(_ error: WireError) {
        let message = error.message
        fail(message.code, message.text)
    }

    func handle(_ message: ClientMessage) throws(WireError) {
        if phase == .greeting {
            guard case .hello(let hello) = message else { throw .noHello }
            return greet(hello)
        }
        guard authorize(message) else { return }
        switch message {
        case .hello: fail(.badMessage, "a hello comes once")
        case .join(let join): self.join(join)
        case .leave(let leave): self.leave(leave)
        // It is taken where it lies, see `take`.
        case .submit: break
        case .heartbeat(let beat): hear(beat)
        case .listRooms(let list): listRooms(list)
        case .readStats(let read):
            request(read.request, of: read.room) { $0.readStats($1, of: read.room) }
        case .deleteRoom(let delete):
            request(delete.request, of: delete.room) { $0.deleteRoom(delete.room, for: $1) }
        case .readSnapshot(let read):
            request(read.request, of: read.room) { $0.readSnapshot(read, for: $1) }
        case .readHistory(let read):
            request(read.request, of: read.room) { $0.readHistory(read, for: $1) }
        case .view(let request): view(request)
        case .presence(let presence): present(presence)
        case .drag(let drag): self.drag(drag)
        }
    }

    private func greet(_ hello: Hello) {
        guard let version = WireProtocol.version(for: hello) else {
            return fail(
                .unsupportedVersion,
                "this server speaks versions \(WireProtocol.versions.lowerBound) to"
                    + " \(WireProtocol.versions.upperBound)")
        }
        phase = .open
        user = configuration.gate.user(at: peer) ?? ""
        inbox.frames = FrameDecoder(maximumFrameBytes: configuration.wire.clientFrameBytes)
        say(
            .welcome(
                Welcome(
                    version: version, features: hello.features.intersection(.all),
                    agent: configuration.agent,
                    heartbeatMilliseconds: configuration.connections.heartbeatMilliseconds,
                    limits: configuration.wire)))
        features = hello.features.intersection(.all)
        loop.context.log.log(
            .debug, "a client said hello", ["peer": peer, "agent": hello.agent])
    }

    private func hear(_ beat: Heartbeat) {
        let id = id
        for held in beat.rooms where membership(held.room) != nil {
            tasksUnderWay += 1
            loop.on(loop.loopIndex(of: held.room)) { loop in
                loop.hosts[held.room]?.room.hold(held.revision, of: held.origin, by: id)
                loop.tell(id) { $0.taskIsOver() }
            }
        }
    }
}

extension ClientMessage {
    fileprivate var name: StaticString {
        switch self {
        case .hello: "hello"
        case .join: "join"
        case .leave: "leave"
        case .submit: "submit"
        case .heartbeat: "heartbeat"
        case .listRooms: "listRooms"
        case .readStats: "readStats"
        case .deleteRoom: "deleteRoom"
        case .readSnapshot: "readSnapshot"
        case .readHistory: "readHistory"
        case .view: "view"
        case .presence: "presence"
        case .drag: "drag"
        }
    }
}

extension WireError {
    fileprivate static var noHello: WireError {
        .broken(.badHandshake, "the first message is a hello")
    }
}

extension ClientMessage {
    /// What a message other than a transaction costs a turn beyond a step, about.
    ///
    /// A request goes to another queue or thread and comes back with an answer. What making the
    /// answer takes is counted where that is done.
    ///
    /// - Parameter frameBytes: how long its frame is, inflated.
    func steps(frameBytes: Int) -> Int {
        let fixed =
            switch self {
            case .submit: 0
            case .hello, .leave, .presence, .drag: WorkCost.message.steps()
            case .heartbeat(let beat): WorkCost.heldRevision.steps(1 + beat.rooms.count)
            case .join, .listRooms, .readStats, .deleteRoom, .readSnapshot, .readHistory, .view:
                WorkCost.request.steps()
            }
        // Messages are taken apart into objects, which a transaction is not.
        return fixed + WorkCost.messageBytes.steps(frameBytes)
    }
}
