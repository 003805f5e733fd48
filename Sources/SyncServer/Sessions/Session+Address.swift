import SyncIO
import SyncRoom
import SyncWire

/// What a connection uses of its address's limits, and what is still to be charged there.
struct AddressUse {
    /// The address, for logs: the one that a proxy names, if there is a proxy.
    private(set) var peer: String
    /// The address's account; `nil` if the address is trusted.
    private(set) var account: AddressAccount?
    /// Its places among the connections of the server and of the address.
    private var places: [Charge]
    /// The rooms that it is in, as the address counts them.
    private var rooms: Charge?
    /// Messages that the address is still to be charged for.
    var messagesRead = 0
    /// The bytes of inflated frames beyond the received ones that it is still to be charged for.
    var inflatedRead = 0
    /// Whether reading pauses because the address is over a rate.
    var isOverRate = false

    init(_ peer: String, _ account: AddressAccount?, places: [Charge]) {
        self.peer = peer
        self.account = account
        self.places = places
        rooms = account.map { Charge(in: $0.rooms) }
    }

    /// Switches to another address, which a proxy names; `false` if that has too many connections.
    mutating func switchAccount(to account: AddressAccount?, at peer: String) -> Bool {
        self.peer = peer
        if let account {
            guard let place = account.connections.reserve(1) else { return false }
            places.append(place)
        }
        self.account = account
        rooms = account.map { Charge(in: $0.rooms) }
        return true
    }

    /// Counts a room that the connection is about to join; `false` if its address is in too many.
    func reserveRoom() -> Bool {
        rooms.map { $0.reserve($0.count + 1) } ?? true
    }

    func releaseRooms(_ count: Int) {
        if let rooms { rooms.change(to: rooms.count - count) }
    }
}

// What a connection charges to its address, and how a proxy names that address.
extension Session {
    /// Charges received bytes, and the messages read since the last charge. While the address is
    /// over a rate, nothing more is read.
    ///
    /// - Parameter bytes: received bytes that were not charged yet.
    func charge(bytes: Int) {
        guard let account = address.account else { return }
        let (messages, inflated) = (address.messagesRead, address.inflatedRead)
        (address.messagesRead, address.inflatedRead) = (0, 0)
        let wait = account.charge(
            bytes: bytes + inflated, messages: messages, at: loop.loop.nowMilliseconds)
        // Input that ended the connection is charged, too, but then nothing more is read anyway.
        guard wait > 0, !address.isOverRate, phase == .greeting || phase == .open else { return }
        address.isOverRate = true
        pauseReading(true)
        loop.schedule(afterMilliseconds: wait) { [weak self] in self?.rateAllows() }
    }

    private func rateAllows() {
        address.isOverRate = false
        switch phase {
        case .greeting: resumeReading()
        case .open: loop.flush(self)
        case .leaving, .closed: break
        }
    }

    // MARK: Proxies

    /// The PROXY header, which comes before everything else, is read.
    func proxyDidName(_ header: ProxyHeader) {
        switch header {
        case .incomplete, .whole(nil, _): break
        case .malformed(let text): fail(.badHandshake, text)
        case .whole(let source?, _): switchAddress(to: source)
        }
    }

    /// Switches to the address that a proxy names, unless that has too many connections.
    private func switchAddress(to source: ProxyHeader.Source) {
        loop.context.log.log(
            .debug, "a proxy names a client", ["peer": source.text, "proxy": address.peer])
        let account = loop.account(of: source.address)
        guard address.switchAccount(to: account, at: source.text) else {
            return fail(.tooManyConnections, loop.tooManyOfOneAddress)
        }
        holder = Holder(
            in: loop.context.pots, within: account?.holder, limits: configuration.holderLimits)
        charge.move(to: holder.connection)
    }
}
