/// What a server's clients draw from together.
package struct Pots: Sendable {
    /// Bytes of memory.
    package let memory: Account
    /// Rooms that are open.
    package let rooms: Account
    /// Places of those who wait to read the past, and bytes of answers that were not taken yet.
    package let readPlaces: Account
    package let readBytes: Account

    package init(
        memory: Int = .max, rooms: Int = .max, readPlaces: Int = .max, readBytes: Int = .max
    ) {
        self.memory = Account(memoryLimit: memory)
        self.rooms = Account(limit: rooms)
        self.readPlaces = Account(limit: readPlaces)
        self.readBytes = Account(limit: readBytes)
    }
}

/// Who draws from a server's pots, see ``Account``: an address, or one of its connections. A connection from an address
/// without limits is a holder by itself.
package final class Holder: Sendable {
    /// The address that it is within.
    private let address: Holder?
    package let memory: Account
    package let rooms: Account
    package let readPlaces: Account
    package let readBytes: Account

    /// - Parameters:
    ///   - address: the address that it is within, if that is a holder.
    ///   - memoryLimit: the most bytes of memory that it may hold.
    package init(in pots: Pots, within address: Holder? = nil, memoryLimit: Int = .max) {
        self.address = address
        memory = Account(
            limit: memoryLimit, in: address?.memory ?? pots.memory, share: .ofBytes)
        rooms = Account(in: address?.rooms ?? pots.rooms, share: .ofPlaces)
        readPlaces = Account(in: address?.readPlaces ?? pots.readPlaces, share: .ofPlaces)
        readBytes = Account(in: address?.readBytes ?? pots.readBytes, share: .ofPlaces)
    }

    /// Who has a share of the pots.
    package var top: Holder { address ?? self }
}
