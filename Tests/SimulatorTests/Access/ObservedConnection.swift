import SyncModel
import SyncWire

/// What is known of one connection of the server, from the messages that it has read and written.
final class ObservedConnection {
    private struct Room {
        var name: RoomName
        var id: RoomID
        var client: Identifier

        var place: Joining { Joining(room: name, client: client) }
    }

    private struct Joining {
        var room: RoomName
        var client: Identifier
    }

    /// A request about rooms that is not answered yet.
    private struct Request {
        var least: Role
        /// The room; `nil` for a list.
        var room: RoomName?
        /// The rooms in which it was allowed at some time since it was read.
        var allowed: Set<RoomName> = []
        var deletes = false
    }

    private let observer: AccessObserver
    private var number = 0
    private let rooms: [RoomName]
    private var permit: Permit?
    /// Roles that were being taken back when the permit was accepted: it may lack them already.
    private var mayLack: [TakenBack] = []
    /// What was shown and is not answered: in the hello, or in renewals.
    private var shown: Permit?
    /// The token of the hello, as it was issued.
    private var hello: Permit?
    private var renewals: [RequestID: Permit?] = [:]
    private var joins: [RequestID: Joining] = [:]
    /// All joins: a message may name its room by the join, whose answer the client does not have.
    private var places: [RequestID: Joining] = [:]
    private var handles: [RoomHandle: Room] = [:]
    private var requests: [RequestID: Request] = [:]
    /// What it has asked to take back.
    private var revokes: [RequestID: Revoke.Subject] = [:]
    private var hasEnded = false
    /// Whether it ended otherwise, for instance with its server.
    var isOver = false
    /// The transactions that it has sent.
    private(set) var sent: Set<Evidence.Name> = []
    /// When something was last written.
    private var lastWrite: UInt64 = 0

    /// For how long after a token's end the server may write: it looks for tokens that have expired
    /// so often, in turns that may be long.
    private static let lateMilliseconds: UInt64 = 400

    init(_ observer: AccessObserver, rooms: [RoomName]) {
        self.observer = observer
        self.rooms = rooms
        number = observer.didAccept(self)
    }

    private var now: UInt64 { observer.office.nowMilliseconds }
    private var user: Identifier { permit?.user ?? "nobody" }

    private func accuse(_ text: String) {
        observer.accuse("connection \(number) of \(user): \(text)")
    }

    /// Whether a role may be had at this moment. While a new token is verified, both count.
    private func mayHave(_ least: Role, in room: RoomName) -> Bool {
        let lacking = mayLack.filter { observer.takenBack.contains($0) }
        if permit?.without(lacking).allows(least, in: room) == true
            || shown?.allows(least, in: room) == true
        {
            return true
        }
        return renewals.values.contains { $0?.allows(least, in: room) == true }
    }

    /// Whether its token has not expired; a new one may be under way.
    private var isCurrent: Bool {
        ([permit, shown] + Array(renewals.values)).contains { permit in
            permit.map { now < $0.endMilliseconds && !isTakenBack($0) } ?? false
        }
    }

    private func isTakenBack(_ permit: Permit) -> Bool {
        observer.takenBack.contains { $0.covers(permit) && !mayLack.contains($0) }
    }

    /// Takes over a token that the server has accepted.
    private func accept(_ next: Permit) {
        permit = next.without(observer.takenBack)
        let all = observer.office.takenBack
        mayLack = all.filter { $0.room != nil && !observer.takenBack.contains($0) }
    }

    /// Whether its token is taken back, and no other one is under way.
    var isTakenBack: Bool {
        guard let permit, isTakenBack(permit) else { return false }
        return renewals.values.allSatisfy { $0.map(observer.isTakenBack) ?? true }
    }

    private func making(_ request: RequestID) -> AccessObserver.Making {
        AccessObserver.Making(connection: number, request: request)
    }

    // MARK: What the server reads

    /// - Parameter join: the join by which a message names its room.
    func didRead(_ message: ClientMessage, naming join: RequestID?) {
        switch message {
        case .hello(let hello):
            self.hello = observer.office.permit(of: hello.token.shown)
            if permit == nil { shown = current(hello.token.shown) }
        case .renew(let renew):
            renewals[renew.request] = current(renew.token.shown)
            reconsider()
        case .join(let join): begin(join)
        case .submit(let submit):
            let place = join.map { places[$0] } ?? handles[submit.room]?.place
            guard let place else { return }
            let name = Evidence.Name(
                room: place.room, client: place.client, counter: submit.counter)
            sent.insert(name)
            guard isCurrent else { return }
            observer.maySend(name)
            if mayHave(.editor, in: place.room) { observer.mayCommit(name) }
        case .listRooms(let list): ask(list.request, Request(least: .viewer))
        case .readStats(let read):
            ask(read.request, Request(least: .viewer, room: read.room))
        case .readSnapshot(let read):
            ask(read.request, Request(least: .viewer, room: read.room))
        case .readHistory(let read):
            ask(read.request, Request(least: .viewer, room: read.room))
        case .readItems(let read):
            ask(read.request, Request(least: .viewer, room: read.room))
        case .deleteRoom(let delete):
            ask(delete.request, Request(least: .admin, room: delete.room, deletes: true))
        case .revoke(let revoke):
            guard isCurrent, permit?.isOfOperator == true || shown?.isOfOperator == true
            else { return }
            revokes[revoke.request] = revoke.subject
            observer.mayTakeBack()
        case .leave, .heartbeat, .view, .presence, .drag: break
        }
    }

    /// What a token allows, unless it has expired.
    private func current(_ token: String) -> Permit? {
        observer.office.permit(of: token).flatMap { whole in
            let permit = whole.without(observer.takenBack)
            return now < permit.endMilliseconds && !observer.isTakenBack(permit) ? permit : nil
        }
    }

    private func begin(_ join: Join) {
        let room = join.room
        joins[join.request] = Joining(room: room, client: join.client)
        places[join.request] = joins[join.request]
        if isCurrent, mayHave(.editor, in: room) {
            observer.mayMake(room, by: making(join.request))
        }
    }

    private func ask(_ id: RequestID, _ request: Request) {
        requests[id] = request
        reconsider()
    }

    /// Notes which pending requests are allowed now.
    private func reconsider() {
        guard isCurrent else { return }
        for (id, request) in requests {
            for room in request.room.map({ [$0] }) ?? rooms where mayHave(request.least, in: room) {
                requests[id]?.allowed.insert(room)
            }
        }
        for (id, join) in joins where mayHave(.editor, in: join.room) {
            observer.mayMake(join.room, by: making(id))
        }
    }

    // MARK: What it writes

    /// Called after the messages of one write.
    func didWrite() {
        lastWrite = now
        if isTakenBack { accuse("it gets something, and its token is taken back") }
    }

    /// The server closes it.
    ///
    /// - Parameter isWriting: whether the client has not read all.
    func willClose(isWriting: Bool) {
        defer { isOver = true }
        guard !hasEnded, !isOver, let permit else { return }
        if observer.office.isTakenBack(permit) {
            observer.didAct(.takenBack)
        } else if !isWriting {
            accuse("it is closed without a reason")
        }
    }

    func willWrite(_ message: ServerMessage) {
        switch message {
        case .welcome(let welcome): didWelcome(welcome)
        case .renewed(let renewed): didRenew(renewed)
        case .error(let error): didRefuse(error)
        case .joined(let joined): didJoin(joined)
        case .snapshot(let part): check(part.channel, "a snapshot")
        case .batch(let batch): check(batch.channel, "a batch")
        case .authors(let authors): check(authors.room, "authors")
        case .viewUpdate(let update): check(update.room, "a view")
        case .presenceUpdate(let update): check(update.room, "presence")
        case .dragTarget(let target): check(target.room, "a drag")
        case .nearLimit(let near):
            if near.use.quota.isOfAccount {
                if near.room != 0 { accuse("it is told of an account beside a room") }
            } else {
                check(near.room, "a quota")
            }
        case .ack(let ack):
            guard let room = check(ack.room, "an acknowledgement") else { return }
            observer.didCommit(by: room.client, of: user, in: room.id, named: room.name)
            let name = Evidence.Name(room: room.name, client: room.client, counter: ack.counter)
            if !observer.isAllowed(name) { accuse("\(name) is acknowledged") }
        case .reject(let reject):
            if reject.rejection.code == .notAllowed { observer.didAct(.refused) }
        case .roomList(let list):
            for entry in list.rooms
            where requests[list.request]?.allowed.contains(entry.name) != true {
                accuse("it is told that there is \(entry.name)")
            }
            if !list.hasMore { requests[list.request] = nil }
        case .stats(let stats):
            check(answer: stats.request, "figures")
            if !stats.server.all.isEmpty { accuse("it is told the figures of the server") }
            requests[stats.request] = nil
        case .items(let items): check(answer: items.request, "items")
        case .done(let done):
            if let subject = revokes[done.request] { observer.didTakeBack(subject) }
            check(answer: done.request, "an answer")
            if requests[done.request]?.deletes == true { observer.didAct(.deleted) }
            requests[done.request] = nil
        case .heartbeat: break
        }
    }

    private func didWelcome(_ welcome: Welcome) {
        guard let shown else { return accuse("it is welcome without a token that is valid") }
        if !welcome.user.utf8.elementsEqual(shown.user.text.utf8) {
            accuse("it is welcome as \(welcome.user)")
        }
        accept(shown)
        self.shown = nil
        observer.didAct(.welcomed)
    }

    private func didRenew(_ renewed: Renewed) {
        guard let next = renewals.removeValue(forKey: renewed.request) ?? nil else {
            return accuse("a token is renewed that is not valid")
        }
        if next.user != permit?.user { accuse("its token becomes one of \(next.user)") }
        observer.didAct(.renewed)
        for room in rooms {
            let (old, new) = (permit?.roles[room], next.roles[room])
            if old == nil, new != nil { observer.didAct(.gained) }
            if old != nil, new == nil { observer.didAct(.lost) }
        }
        accept(next)
        reconsider()
    }

    private func didRefuse(_ error: ErrorMessage) {
        if error.code == .notAllowed { observer.didAct(.refused) }
        switch error.subject {
        case nil:
            if error.code == .tokenExpired { observer.didAct(.expired) }
            if error.code == .tokenRevoked { didRefuse(hello) }
            if error.code != .unsupported { hasEnded = true }
        case .request(let id):
            let renewal = renewals.removeValue(forKey: id) ?? nil
            if error.code == .tokenRevoked { didRefuse(renewal) }
            requests[id] = nil
            if let join = joins.removeValue(forKey: id) {
                observer.didNotMake(join.room, by: making(id))
            }
        default: break
        }
    }

    /// A token is refused, as it is taken back.
    private func didRefuse(_ permit: Permit?) {
        guard let permit else { return }
        if !observer.office.mayBeRefused(permit) { accuse("\(permit.id) is not taken back") }
    }

    private func didJoin(_ joined: Joined) {
        let room = joined.room
        guard let join = joins.removeValue(forKey: joined.request), join.room == room else {
            return accuse("it is in \(room) unasked")
        }
        if !mayHave(.viewer, in: room) || isLate { accuse("it is let into \(room)") }
        if !mayHave(joined.role, in: room) { accuse("it is \(joined.role) of \(room)") }
        handles[joined.handle] = Room(
            name: room, id: joined.identity.id, client: joined.client)
        observer.didJoin(joined, by: making(joined.request), of: user)
    }

    /// Whether all that is written now was made after the token's end.
    private var isLate: Bool {
        guard let permit else { return true }
        return hasEnded || lastWrite > permit.endMilliseconds + ObservedConnection.lateMilliseconds
    }

    private func check(_ channel: Channel, _ what: String) {
        switch channel {
        case .room(let handle): check(handle, what)
        case .request(let id): check(answer: id, what)
        }
    }

    @discardableResult
    private func check(_ handle: RoomHandle, _ what: String) -> Room? {
        guard let room = handles[handle] else {
            accuse("it gets \(what) of a room that it is not in")
            return nil
        }
        if isLate {
            accuse("it gets \(what) of \(room.name) after its token's end")
        } else if !mayHave(.viewer, in: room.name) {
            accuse("it gets \(what) of \(room.name)")
        }
        return room
    }

    private func check(answer id: RequestID, _ what: String) {
        guard let request = requests[id], let room = request.room else { return }
        if isLate {
            accuse("it gets \(what) of \(room) after its token's end")
        } else if !request.allowed.contains(room) {
            accuse("it gets \(what) of \(room)")
        }
    }
}
