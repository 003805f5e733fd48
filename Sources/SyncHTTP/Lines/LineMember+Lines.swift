import SyncClient
import SyncJSON
import SyncModel
import SyncWire

// What lines ask for.
extension LineMember {
    /// Carries out a line.
    func obey(_ line: ReadLine) {
        switch line {
        case .blank: break
        case .transaction(let packed, let base, let number, let origin):
            _ = submit(packed, base: base, of: origin, number: number)
        case .presence(let state): show(state)
        case .command(let command): obey(command)
        case .malformed(let error): refuseLine("malformed", error.description)
        }
    }

    private func obey(_ command: JoinCommand) {
        switch command {
        // These come packed and encoded, see ``ReadLine``.
        case .transaction, .presence: break
        case .view(let command): obey(command)
        case .drag(let command): obey(command)
        case .clipboard(.paste(let clipboard?, let place)) where !clipboard.isCut:
            paste(clipboard.items, to: place)
        case .clipboard(.paste(nil, _)):
            refuseLine(
                ErrorCode.unsupported.rawValue, "paste needs the clipboard: this server keeps none")
        case .clipboard:
            refuseLine(
                ErrorCode.unsupported.rawValue,
                "items are copied and cut, and cut items pasted, only by clients that have them")
        case .unsupported(let name):
            refuseLine(ErrorCode.unsupported.rawValue, "this server does not offer \(name)")
        }
    }

    // MARK: Transactions

    private static let tooLarge = Rejection(
        code: .limitExceeded,
        message: "the transaction is larger than the server takes; make several")

    /// Submits a transaction.
    ///
    /// - Parameters:
    ///   - base: without one, the revision that the client was sent last.
    ///   - named: the history of the base, if the line names it.
    ///   - number: without one, the next.
    /// - Returns: its number if it is in flight now. If not, a line has said why.
    func submit(
        _ packed: Result<PackedTransaction, Rejection>, base: Revision? = nil,
        of named: RoomOrigin? = nil, number: UInt64? = nil
    ) -> UInt64? {
        guard let handle else { return nil }
        let number = number ?? submissions.lastNumber &+ 1
        if submissions.isInFlight(number) {
            refuseLine(
                "malformed",
                "tx: a transaction of this number is in flight: wait for its answer")
            return nil
        }
        guard number <= WireProtocol.greatestNumber else {
            // No line could name the number.
            refuseLine("malformed", Rejection.numberTooGreat.message)
            return nil
        }
        submissions.lastNumber = max(submissions.lastNumber, number)
        do throws(Rejection) {
            var transaction = try packed.get()
            transaction.base = base ?? revision ?? 0
            let submit = Submit(
                room: handle, counter: number, transaction: transaction,
                origin: origin(ofBase: base, named: named))
            guard send(.submit(submit)) else { throw LineMember.tooLarge }
        } catch {
            emit(.reject(tx: number, error))
            return nil
        }
        submissions.didSend(number)
        return number
    }

    /// The history that a line's base belongs to. It is always sent: the room may be replaced
    /// before the line is read.
    private func origin(ofBase base: Revision?, named: RoomOrigin?) -> Origin? {
        guard let named else { return revision.flatMap { self.origin(of: $0) } }
        let origin = Origin(named)
        // The newest epoch has no revisions before the first write in it.
        guard let base, let roomIdentity, roomIdentity.id == origin.room,
            roomIdentity.newestEpoch == origin.epoch
        else { return origin }
        return roomIdentity.origin(of: base)
    }

    /// Inserts copies of items, one after the other.
    private func paste(_ items: [Item], to place: Placement) {
        var place = place
        var ids: [Identifier] = []
        let operations = items.map { item in
            let id = makeID()
            defer { place = Placement(position: .after(id)) }
            ids.append(id)
            return ListOperation.insert(Item(id: id, content: item.content), to: place)
        }
        if let number = submit(PackedTransaction.packing(operations)) {
            submissions.pastes(ids, number)
        }
    }

    // MARK: Presence

    private func show(_ read: Result<PresenceState, ModelError>) {
        guard let handle else { return }
        guard options.presence else {
            return refuseLine(
                ErrorCode.notAllowed.rawValue, "the room was joined without presence")
        }
        let state: PresenceState
        do throws(ModelError) {
            state = try read.get()
        } catch {
            return refuseLine(ErrorCode.badContent.rawValue, "that can't be a value: \(error)")
        }
        let limits = welcome?.limits ?? WireLimits()
        if let excess = state.excess(frameBytes: limits.clientFrameBytes) {
            return refuseLine(ErrorCode.limitExceeded.rawValue, excess)
        }
        send(.presence(Presence(room: handle, state: state)))
    }
}
