import ArgumentParser
import SyncRoom
import SyncServer

/// The limits of each user that has signed in, from whatever addresses.
struct UserOptions: ParsableArguments {
    @Option(help: "The most connections of a user (tooManyConnections; closes the connection).")
    var maxUserConnections = 256

    @Option(help: "The most rooms that the connections of a user are in (userLimit).")
    var maxUserRooms = 1000

    @Option(help: "How many rooms a minute may be created for a user (userLimit).")
    var userNewRoomsPerMinute = 10

    @Option(help: "How many rooms may be created for it at once.")
    var userNewRoomsBurst = 100

    @Option(
        help: """
            How many bytes a second are read from a user, inflated if they are deflated; more is read later.
            """)
    var userBytesPerSecond = SizeArgument(bytes: 8 << 20)

    @Option(help: "How many messages a second are read from a user; more is read later.")
    var userMessagesPerSecond = 20_000

    @Option(help: "How many transactions a second are read from a user; more is read later.")
    var userTransactionsPerSecond = 20_000

    @Option(
        help: """
            How many transactions a second a user may write (unavailable, with the time to wait); by default any \
            number.
            """)
    var userWrittenTransactionsPerSecond: Int?

    @Option(
        help: """
            How many bytes of transactions a second a user may write (unavailable, with the time to wait); by \
            default any number.
            """)
    var userWrittenBytesPerSecond: SizeArgument?

    func validate() throws {
        try AddressOptions.check([
            ("max-user-connections", maxUserConnections), ("max-user-rooms", maxUserRooms),
            ("user-new-rooms-per-minute", userNewRoomsPerMinute),
            ("user-new-rooms-burst", userNewRoomsBurst),
            ("user-bytes-per-second", userBytesPerSecond.bytes),
            ("user-messages-per-second", userMessagesPerSecond),
            ("user-transactions-per-second", userTransactionsPerSecond),
            ("user-written-transactions-per-second", userWrittenTransactionsPerSecond ?? 1),
            ("user-written-bytes-per-second", userWrittenBytesPerSecond?.bytes ?? 1),
        ])
    }

    func apply(to configuration: inout ServerConfiguration) {
        configuration.users.connections = maxUserConnections
        configuration.users.rooms = maxUserRooms
        configuration.users.newRooms = Rate(
            perMinute: userNewRoomsPerMinute, burst: userNewRoomsBurst)
        configuration.users.bytes = Rate(perSecond: userBytesPerSecond.bytes)
        configuration.users.messages = Rate(perSecond: userMessagesPerSecond)
        configuration.users.transactions = Rate(perSecond: userTransactionsPerSecond)
        configuration.users.writes.transactions = userWrittenTransactionsPerSecond.map {
            Rate(perSecond: $0)
        }
        configuration.users.writes.bytes = userWrittenBytesPerSecond.map {
            Rate(perSecond: $0.bytes)
        }
    }
}
