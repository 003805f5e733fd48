import SyncRoom

/// What a connection has of its address's limits, and what it still has to pay there.
struct AddressUse {
    /// The address's account; `nil` if the address is trusted.
    private(set) var account: AddressAccount?
    /// Its places among the connections of the server and of the address.
    private var places: [Charge]
    /// The rooms that it is in, as the address counts them.
    private var rooms: Charge?
    /// Messages that the address is still to be charged for.
    var messagesRead = 0
    /// Bytes beyond their own that deflated frames came to, and that it is still to be charged for.
    var inflatedRead = 0
    /// Whether the address has sent so much that reading waits.
    var isOverRate = false
    /// The bytes so far of the header that a proxy sends first; `nil` if none is awaited.
    var proxyHeader: [UInt8]?

    init(_ account: AddressAccount?, places: [Charge]) {
        self.account = account
        self.places = places
        rooms = account.map { Charge(in: $0.rooms) }
    }

    /// Goes by another address; `false` if that has too many connections.
    mutating func become(_ account: AddressAccount?) -> Bool {
        if let account {
            guard let place = account.connections.reserve(1) else { return false }
            places.append(place)
        }
        self.account = account
        rooms = account.map { Charge(in: $0.rooms) }
        return true
    }

    /// Counts a room that the connection is to be in; `false` if its address is in too many.
    func takeRoom() -> Bool {
        rooms.map { $0.reserve($0.count + 1) } ?? true
    }

    func giveRoomsBack(_ count: Int) {
        if let rooms { rooms.change(to: rooms.count - count) }
    }
}
