import ArgumentParser
import SyncRoom
import SyncServer

/// The limits of each address, for connections that have not signed in. In IPv6, the first 64 bits
/// are the address.
struct AddressOptions: ParsableArguments {
    @Option(
        help: """
            Addresses to which the limits below do not apply, as ranges with commas between them, or 'none'.
            """)
    var trusted = TrustedAddresses.loopback

    @Flag(
        help: """
            Connections from trusted addresses begin with a PROXY header of version 2, and count for the \
            address in it. Connections from other addresses have no header.
            """)
    var proxyProtocol = false

    @Option(
        help: """
            The most connections of an address that have not signed in (tooManyConnections; closes the \
            connection).
            """)
    var maxAddressConnections = 256

    @Option(
        help: """
            The most connections of an address that have signed in, of all users together (tooManyConnections; \
            closes the connection).
            """)
    var maxAddressSignedIn = 4096

    @Option(help: "The most rooms that the connections of an address are in (addressLimit).")
    var maxAddressRooms = 1000

    @Option(help: "How many rooms a minute may be created for an address (addressLimit).")
    var newRoomsPerMinute = 10

    @Option(help: "How many rooms may be created for it at once.")
    var newRoomsBurst = 100

    @Option(
        help: """
            How many bytes a second are read from an address, inflated if they are deflated; more is read \
            later.
            """)
    var addressBytesPerSecond = SizeArgument(bytes: 8 << 20)

    @Option(help: "How many messages a second are read from an address; more is read later.")
    var addressMessagesPerSecond = 20_000

    @Option(help: "How many transactions a second are read from an address; more is read later.")
    var addressTransactionsPerSecond = 20_000

    @Option(
        help: """
            How many transactions a second an address may write (unavailable, with the time to wait); by default any \
            number.
            """)
    var addressWrittenTransactionsPerSecond: Int?

    @Option(
        help: """
            How many bytes of transactions a second an address may write (unavailable, with the time to wait); by \
            default any number.
            """)
    var addressWrittenBytesPerSecond: SizeArgument?

    func validate() throws {
        try AddressOptions.check([
            ("max-address-connections", maxAddressConnections),
            ("max-address-signed-in", maxAddressSignedIn),
            ("max-address-rooms", maxAddressRooms), ("new-rooms-per-minute", newRoomsPerMinute),
            ("new-rooms-burst", newRoomsBurst),
            ("address-bytes-per-second", addressBytesPerSecond.bytes),
            ("address-messages-per-second", addressMessagesPerSecond),
            ("address-transactions-per-second", addressTransactionsPerSecond),
            ("address-written-transactions-per-second", addressWrittenTransactionsPerSecond ?? 1),
            ("address-written-bytes-per-second", addressWrittenBytesPerSecond?.bytes ?? 1),
        ])
    }

    static func check(_ numbers: [(name: String, value: Int)]) throws {
        for (name, value) in numbers where !(1...Int(Int32.max)).contains(value) {
            throw ValidationError("--\(name) is \(value), but must be from 1 to \(Int32.max)")
        }
    }

    func apply(to configuration: inout ServerConfiguration) {
        configuration.proxies.trusted = trusted
        configuration.proxies.sendHeaders = proxyProtocol
        configuration.addresses.connections = maxAddressConnections
        configuration.addresses.signedInConnections = maxAddressSignedIn
        configuration.addresses.rooms = maxAddressRooms
        configuration.addresses.newRooms = Rate(perMinute: newRoomsPerMinute, burst: newRoomsBurst)
        configuration.addresses.bytes = Rate(perSecond: addressBytesPerSecond.bytes)
        configuration.addresses.messages = Rate(perSecond: addressMessagesPerSecond)
        configuration.addresses.transactions = Rate(perSecond: addressTransactionsPerSecond)
        configuration.addresses.writes.transactions = addressWrittenTransactionsPerSecond.map {
            Rate(perSecond: $0)
        }
        configuration.addresses.writes.bytes = addressWrittenBytesPerSecond.map {
            Rate(perSecond: $0.bytes)
        }
    }
}

extension TrustedAddresses: ExpressibleByArgument {
    /// Parses the value of `--trusted`.
    public init?(argument: String) {
        self.init(argument)
    }

    /// A default, as the help shows it.
    public var defaultValueDescription: String { self == .none ? "none" : "127.0.0.0/8,::1" }
}
