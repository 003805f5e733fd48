import SyncBytes
import SyncIO
import SyncRoom
import SyncWire

extension Session {
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        lastReceived = loop.loop.nowMilliseconds
        guard phase == .greeting || phase == .open else { return }
        if held.isEmpty {
            read(bytes)
        } else {
            held.append(contentsOf: bytes)
        }
    }

    /// Whether what comes has to wait.
    private var isFull: Bool {
        wordBytes + wordBytesInFlight > Session.maximumWordBytes || loop.isDraining
            || wishesUnderWay >= Session.maximumWishes
            || memberships.contains {
                $0.unanswered >= configuration.wire.unansweredTransactions
                    || $0.unansweredBytes >= Session.maximumUnansweredBytes
            }
    }

    var isReadingPutOff: Bool { isReadingPaused || !held.isEmpty }

    /// Reads on, as far as there is room for the answers.
    func resumeReading() {
        guard isReadingPutOff, !isFull else { return }
        let bytes = held
        held = []
        bytes.withUnsafeBytes { read($0) }
        // Silence counts from now: before, nothing was listened to.
        lastReceived = loop.loop.nowMilliseconds
        if phase == .open, held.isEmpty, !isFull { isReadingPaused = false }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        let decoder = loop.decoder
        do throws(WireError) {
            while phase == .greeting || phase == .open {
                if isFull { return putOff(rest) }
                guard let frame = try frames.next(&rest) else { return }
                try read(frame: frame, with: decoder)
            }
        } catch {
            fail(error)
        }
    }

    /// Keeps what can't be answered yet, and has the rest wait with the system.
    private func putOff(_ rest: UnsafeRawBufferPointer) {
        held.append(contentsOf: rest)
        isReadingPaused = true
    }

    private func read(
        frame: UnsafeRawBufferPointer, with decoder: MessageDecoder
    ) throws(WireError) {
        do throws(WireError) {
            switch try decoder.clientFrame(frame) {
            case .submit(let submit):
                guard phase == .open else { throw .noHello }
                self.submit(submit, bytes: frame.count)
            case .message(let message): try handle(message, bytes: frame.count)
            }
        } catch {
            switch error {
            case .broken: throw error
            case .refusedSubmit(let room, let counter, let rejection):
                guard phase == .open else { throw .noHello }
                guard countSubmit(to: room, bytes: frame.count) else { return }
                let id = id
                loop.on(loop.loopIndex(of: room)) { $0.refuse(rejection, counter, in: room, id) }
            case .refused, .unknownMessage:
                guard phase == .open else { throw .noHello }
                say(.error(error.message))
            }
        }
    }

    private func fail(_ error: WireError) {
        let message = error.message
        fail(message.code, message.text)
    }

    private func handle(_ message: ClientMessage, bytes: Int) throws(WireError) {
        if phase == .greeting {
            guard case .hello(let hello) = message else { throw .noHello }
            return greet(hello)
        }
        switch message {
        case .hello: fail(.badMessage, "a hello comes once")
        case .join(let join): self.join(join)
        case .leave(let leave): self.leave(leave)
        case .submit(let submit): submit.withView { self.submit($0, bytes: bytes) }
        case .heartbeat(let beat): hear(beat)
        case .listRooms(let list): listRooms(list)
        case .readStats(let read):
            request(read.request, of: read.room) { loop, key in
                loop.readStats(key, of: read.room)
            }
        case .deleteRoom(let delete):
            request(delete.request, of: delete.room) { loop, key in
                loop.deleteRoom(delete.room, for: key)
            }
        case .readSnapshot(let read):
            request(read.request, of: read.room) { loop, key in
                loop.readSnapshot(read, for: key)
            }
        case .readHistory(let read):
            request(read.request, of: read.room) { loop, key in
                loop.readHistory(read, for: key)
            }
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
        frames = FrameDecoder(maximumFrameBytes: configuration.wire.frameBytes)
        say(
            .welcome(
                Welcome(
                    version: version, features: hello.features.intersection(.all),
                    agent: configuration.agent,
                    heartbeatMilliseconds: configuration.heartbeatMilliseconds,
                    limits: configuration.wire)))
        features = hello.features.intersection(.all)
        loop.context.log.log(
            .debug, "a client said hello", ["peer": stream.peer, "agent": hello.agent])
    }

    private func hear(_ beat: Heartbeat) {
        let id = id
        for held in beat.rooms where membership(held.room) != nil {
            tell(held.room) { $0.hold(held.revision, held.room, id) }
        }
    }
}

extension WireError {
    fileprivate static var noHello: WireError {
        .broken(.badHandshake, "the first message is a hello")
    }
}
