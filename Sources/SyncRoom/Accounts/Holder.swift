import Synchronization

/// The resources that a server's clients share.
package struct Pots: Sendable {
    /// Bytes of memory.
    package let memory: Account
    /// Of that, the images of rooms on their way to the store. They may use as much as they leave
    /// free. If there is not enough, no image is made, as the log has everything.
    package let images: Account
    /// Bytes on disk, which are the store's.
    package let disk: Account
    /// Rooms that are open.
    package let rooms: Account
    /// Places of requests that wait to read the past, and bytes of answers that are not sent yet.
    package let readPlaces: Account
    package let readBytes: Account
    /// What was written lately.
    let writes = WriteUse()

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

/// Who uses a server's pots, see ``Account``: a user or an address, or one of its connections, or
/// those with whom a user shares rooms. A connection without limits is a holder by itself.
package final class Holder: Sendable {
    /// What a connection may use.
    package struct Limits: Sendable {
        /// Its views included.
        package var bytes = Int.max
        package var viewBytes = 8 << 20
        package var answerBytes = Int.max

        package init() {}
    }

    /// Of what it is a part, if that is a holder: the user or address of a connection, or the user
    /// who shares.
    private let owner: Holder?
    /// All of the server's memory that it uses, its parts of rooms included.
    package let memory: Account
    /// Of that, the input, the output and the views of a connection. Views count their screens, as
    /// they were last sent, and updates that are not read yet.
    package let connection: Account
    package let views: Account
    /// What it has written to disk. A connection shares this with its owner.
    private let disk: DiskUse
    package let rooms: Account
    package let readPlaces: Account
    package let readBytes: Account
    /// What it has written lately. A connection shares this with its owner.
    package let writes: WriteUse
    /// Bytes of answers that it has requested and not read. It is in no pot: others may share an
    /// answer, and an answer may have any size.
    package let answers: Account

    /// - Parameter owner: the user or address of a connection, if that is a holder.
    package init(in pots: Pots, within owner: Holder? = nil, limits: Limits = Limits()) {
        self.owner = owner
        memory = Account(in: owner?.memory ?? pots.memory, share: .ofBytes)
        connection = Account(limit: limits.bytes, in: memory)
        views = Account(limit: limits.viewBytes, in: connection)
        disk = owner?.disk ?? DiskUse(in: pots.disk)
        rooms = Account(in: owner?.rooms ?? pots.rooms, share: .ofPlaces)
        readPlaces = Account(in: owner?.readPlaces ?? pots.readPlaces, share: .ofPlaces)
        readBytes = Account(in: owner?.readBytes ?? pots.readBytes, share: .ofPlaces)
        writes = owner?.writes ?? WriteUse(in: pots.writes)
        answers = Account(limit: limits.answerBytes)
    }

    /// Makes a part of a user's, for those with whom the user shares rooms. It gets at most half of
    /// what the user alone would get.
    package init(sharesOf user: Holder) {
        owner = user
        memory = Account(in: user.memory, share: .halfOfBytes)
        connection = Account(in: memory)
        views = Account(in: connection)
        disk = DiskUse(within: user.disk)
        rooms = Account(in: user.rooms, share: .halfOfPlaces)
        readPlaces = Account(in: user.readPlaces, share: .halfOfPlaces)
        readBytes = Account(in: user.readBytes, share: .halfOfPlaces)
        writes = WriteUse(within: user.writes)
        answers = Account()
    }

    /// Changes what the connection may use.
    package func change(to limits: Limits) {
        connection.limit = limits.bytes
        views.limit = limits.viewBytes
        answers.limit = limits.answerBytes
    }

    /// The bytes that it has written to disk.
    package var diskBytes: Int { disk.bytes }

    /// The holder that has a share of the pots: the user or address, or the connection itself.
    package var top: Holder { owner?.top ?? self }

    /// Whether it uses nothing but a little disk, so that it may be forgotten.
    package func isIdle(at now: UInt64) -> Bool {
        memory.used == 0 && rooms.used == 0 && readPlaces.used == 0 && readBytes.used == 0
            && disk.isLittle && writes.isIdle(at: now)
    }

    /// Which transactions its shares allow.
    var intake: Intake.Measure {
        // Deletes are written to disk, too.
        if !disk.hasRoom { return .nothing }
        return memory.fits(1) ? .all : .deletes
    }

    /// Counts what it has written to disk.
    func didWrite(_ bytes: Int) {
        disk.add(bytes)
    }
}

/// The bytes that a holder has written to disk, and whether it may write more.
///
/// These bytes stay on disk when their author leaves, and when the room is closed. So they count as
/// long as the server remembers the holder. They count for no more than all bytes on disk, as the
/// holder's may have been deleted.
final class DiskUse: Sendable {
    private let pot: Account
    private let account: Account
    private let charge: Mutex<Charge>

    /// A holder that has written no more than this part of the disk's limit may be forgotten.
    private static let littlePart = 65_536

    init(in pot: Account) {
        self.pot = pot
        account = Account(in: pot, share: .ofBytes)
        charge = Mutex(Charge(in: account, isPart: true))
    }

    /// Makes a part of a holder's. What is counted here is counted there, too.
    init(within whole: DiskUse) {
        pot = whole.pot
        account = Account(in: whole.account, share: .halfOfBytes)
        charge = Mutex(Charge(in: account, isPart: true))
    }

    var bytes: Int { account.used }

    /// Whether it is so little that it may be forgotten.
    var isLittle: Bool { account.used <= pot.limit / DiskUse.littlePart }

    /// Whether more may be written.
    var hasRoom: Bool { account.fits(1) }

    /// Counts what was written.
    func add(_ bytes: Int) {
        charge.withLock { $0.change(to: min($0.count + bytes, pot.used)) }
    }
}
