import Synchronization

/// What a server's clients draw from together.
package struct Pots: Sendable {
    /// Bytes of memory.
    package let memory: Account
    /// Of that, images of rooms on their way to the store, which may have as much as they leave.
    /// Where there is less, a room goes without: its log has all.
    package let images: Account
    /// Bytes on disk, which are the store's.
    package let disk: Account
    /// Rooms that are open.
    package let rooms: Account
    /// Places of those who wait to read the past, and bytes of answers that were not taken yet.
    package let readPlaces: Account
    package let readBytes: Account

    package init(
        memory: Int = .max, disk: Int = .max, rooms: Int = .max, readPlaces: Int = .max,
        readBytes: Int = .max
    ) {
        self.memory = Account(memoryLimit: memory)
        images = Account(in: self.memory, share: .ofPlaces)
        self.disk = Account(limit: disk)
        self.rooms = Account(limit: rooms)
        self.readPlaces = Account(limit: readPlaces)
        self.readBytes = Account(limit: readBytes)
    }
}

/// Who draws from a server's pots, see ``Account``: an address, or one of its connections. A
/// connection from an address without limits is a holder by itself.
package final class Holder: Sendable {
    /// What a connection may hold.
    package struct Limits: Sendable {
        /// With its views.
        package var bytes = Int.max
        package var viewBytes = 8 << 20
        package var answerBytes = Int.max

        package init() {}
    }

    /// The address that it is within.
    private let address: Holder?
    /// All that it holds of the server's memory, its part of rooms included.
    package let memory: Account
    /// Of that, what comes and goes on a connection, with its views: what its client is taken to
    /// hold of their screens, and updates that it has not taken in.
    package let connection: Account
    package let views: Account
    /// What it has written, which is its address's.
    private let disk: DiskUse
    package let rooms: Account
    package let readPlaces: Account
    package let readBytes: Account
    /// What it has asked for and not taken. Others may have asked for the same, and one answer may
    /// be of any size.
    package let answers: Account

    /// - Parameter address: the address that it is within, if that is a holder.
    package init(in pots: Pots, within address: Holder? = nil, limits: Limits = Limits()) {
        self.address = address
        memory = Account(in: address?.memory ?? pots.memory, share: .ofBytes)
        connection = Account(limit: limits.bytes, in: memory)
        views = Account(limit: limits.viewBytes, in: connection)
        disk = address?.disk ?? DiskUse(in: pots.disk)
        rooms = Account(in: address?.rooms ?? pots.rooms, share: .ofPlaces)
        readPlaces = Account(in: address?.readPlaces ?? pots.readPlaces, share: .ofPlaces)
        readBytes = Account(in: address?.readBytes ?? pots.readBytes, share: .ofPlaces)
        answers = Account(limit: limits.answerBytes)
    }

    /// Who has a share of the pots.
    package var top: Holder { address ?? self }

    /// Whether it holds nothing, or so little on disk that it may be forgotten.
    package var isIdle: Bool {
        memory.held == 0 && rooms.held == 0 && readPlaces.held == 0 && readBytes.held == 0
            && disk.isLittle
    }

    /// Which transactions its shares allow.
    var intake: Intake.Measure {
        // What deletes is written, too.
        if !disk.hasRoom { return .nothing }
        return memory.fits(1) ? .all : .deletes
    }

    /// Counts what it has written to disk.
    func didWrite(_ bytes: Int) {
        disk.add(bytes)
    }
}

/// What a holder has written to disk, and whether it may write more.
///
/// What is written stays when its author leaves the room, and when nobody is in that any more. So
/// it counts for whoever wrote it as long as that is known to the server, but for no more than all
/// that is on disk: what is deleted is no longer there, whoever wrote it.
final class DiskUse: Sendable {
    private let pot: Account
    private let account: Account
    private let charge: Mutex<Charge>

    /// Who has written no more than this part of what may be on disk is as good as new.
    private static let littlePart = 65_536

    init(in pot: Account) {
        self.pot = pot
        account = Account(in: pot, share: .ofBytes)
        charge = Mutex(Charge(in: account, isPart: true))
    }

    /// Whether nobody gains if it is forgotten.
    var isLittle: Bool { account.held <= pot.limit / DiskUse.littlePart }

    /// Whether more may be written.
    var hasRoom: Bool { account.fits(1) }

    /// Counts what was written.
    func add(_ bytes: Int) {
        charge.withLock { $0.change(to: min($0.count + bytes, pot.held)) }
    }
}
