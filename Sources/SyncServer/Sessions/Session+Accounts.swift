import SyncAccess
import SyncIO
import SyncModel
import SyncRoom
import SyncWire

/// What a connection uses of the limits of its address, or of its user once it has signed in, and
/// what is still to be charged there.
struct AccountUse {
    /// See ``Session/peer`` and ``Session/user``.
    private(set) var peer: String
    private(set) var user = UserName.nobody
    /// The account that it counts for: its address's, or its user's once it has signed in. `nil` if
    /// the address is trusted, and nobody has signed in.
    private(set) var account: ClientAccount?
    /// The account of its address; `nil` if the address is trusted.
    private var address: ClientAccount?
    /// Its places among the connections of the server, of its address and of its user.
    private let place: Charge?
    private var addressPlace: Charge?
    private var userPlace: Charge?
    /// The rooms that it is in, as the account counts them.
    private var rooms: Charge?
    /// Messages that the account is still to be charged for.
    var messagesRead = 0
    /// How many of these are transactions for rooms that it is in.
    var transactionsRead = 0
    /// The bytes of inflated frames beyond the received ones that it is still to be charged for.
    var inflatedRead = 0
    /// Ends the pause of reading while the account is over a rate.
    var rateTimer: (any Timer)?
    /// Quotas of the account that are nearly used up, as noted at a request of this connection. The
    /// client is told when earlier output is written; until then only the newest use of each quota
    /// is kept.
    private(set) var nearLimits: [QuotaUse] = []

    /// - Parameters:
    ///   - account: its address's account.
    ///   - place: its place among the connections of the server; `nil` if it has ended.
    ///   - addressPlace: its place among those of its address.
    init(
        of peer: String, _ account: ClientAccount? = nil, place: Charge? = nil,
        addressPlace: Charge? = nil
    ) {
        self.peer = peer
        self.account = account
        self.address = account
        self.place = place
        self.addressPlace = addressPlace
        rooms = account.map { Charge(in: $0.rooms) }
    }

    /// Whether reading pauses because the account is over a rate.
    var isOverRate: Bool { rateTimer != nil }

    /// Switches to another address, which a proxy names; `false` if that has too many connections.
    mutating func switchAddress(to account: ClientAccount?, at peer: String) -> Bool {
        let place = account?.connections.reserve(1)
        guard account == nil || place != nil else { return false }
        self.peer = peer
        addressPlace = place
        address = account
        use(account)
        return true
    }

    /// Switches to a user's account, and takes a place there. Its address keeps a place for it.
    ///
    /// - Returns: why it may not; then nothing has changed.
    mutating func signIn(as name: UserName, of user: ClientAccount) -> String? {
        guard let place = user.connections.reserve(1) else { return user.tooManyConnections }
        if let address {
            guard let place = address.signedInConnections.reserve(1) else {
                return address.tooManySignedIn
            }
            addressPlace = place
        }
        self.user = name
        userPlace = place
        use(user)
        forgetRead()
        return nil
    }

    private mutating func use(_ account: ClientAccount?) {
        self.account = account
        // They were those of the account before.
        nearLimits = []
        let count = rooms?.count ?? 0
        rooms = account.map { Charge(in: $0.rooms) }
        rooms?.change(to: count)
    }

    /// Keeps what the client is to be told of its account.
    mutating func note(_ uses: [QuotaUse]) {
        for use in uses {
            nearLimits.removeAll { $0.quota == use.quota }
            nearLimits.append(use)
        }
    }

    mutating func takeNearLimits() -> [QuotaUse] {
        defer { nearLimits = [] }
        return nearLimits
    }

    /// Counts a room that the connection is about to join.
    ///
    /// - Returns: why it may not; then nothing has changed.
    func reserveRoom() -> RoomRefusal? {
        guard let account, let rooms, !rooms.reserve(rooms.count + 1) else { return nil }
        return account.tooManyRooms
    }

    func releaseRooms(_ count: Int) {
        if let rooms { rooms.change(to: rooms.count - count) }
    }

    /// Charges the messages read since the last charge, and received bytes.
    ///
    /// - Returns: for how many milliseconds nothing more may be read.
    mutating func charge(bytes: Int, at now: UInt64) -> UInt64 {
        guard let account else { return 0 }
        defer { forgetRead() }
        return account.charge(
            bytes: bytes + inflatedRead, messages: messagesRead, transactions: transactionsRead,
            at: now)
    }

    /// The same use by another session of the connection, without the rooms.
    func shared() -> AccountUse {
        var usage = self
        usage.rooms = account.map { Charge(in: $0.rooms) }
        usage.rateTimer = nil
        usage.nearLimits = []
        return usage
    }

    private mutating func forgetRead() {
        (messagesRead, transactionsRead, inflatedRead) = (0, 0, 0)
    }
}

// What a connection charges to its address or its user, how it signs in, and how a proxy names its
// address.
extension Session {
    /// Charges received bytes, and the messages read since the last charge. While the account is
    /// over a rate, nothing more is read.
    ///
    /// - Parameter bytes: received bytes that were not charged yet.
    func charge(bytes: Int) {
        if usage.account == nil { return }
        let bytes = transport.isWithinConnection ? 0 : bytes
        if transport.isWithinConnection { usage.messagesRead = 0 }
        if phase == .open, configuration.limitsWritesOfAccounts { noteNearLimits() }
        let wait = usage.charge(bytes: bytes, at: loop.loop.nowMilliseconds)
        // Input that ended the connection is charged, too, but then nothing more is read anyway.
        guard wait > 0, !usage.isOverRate, phase == .greeting || phase == .open else { return }
        pauseReading(true)
        usage.rateTimer = loop.schedule(afterMilliseconds: wait) { [weak self] in
            self?.rateAllows()
        }
    }

    private func rateAllows() {
        usage.rateTimer = nil
        switch phase {
        case .greeting: resumeReading()
        case .open: loop.flush(self)
        case .leaving, .closed: break
        }
    }

    /// Warns if the account, which was just charged, is near a limit.
    func noteNearLimits() {
        let news = loop.watch(usage.account)
        if news.isEmpty { return }
        usage.note(news)
        loop.flush(self)
    }

    // MARK: Users

    /// Signs the connection in as a user. From now on it counts for that user's account, and for
    /// its address only as a connection that has signed in.
    ///
    /// It may be called again with the same user, which changes nothing, and at any time: rooms
    /// that the connection is in count for the user, too. But what it was charged for in these
    /// rooms, and for requests in flight, stays with its address until it leaves them, or they end.
    ///
    /// - Parameter bearer: if it is nobody, that changes nothing, either.
    /// - Returns: whether the connection goes on. It ends if the user has too many connections, or
    ///   if it has signed in as another user.
    func signIn(as bearer: TokenBearer) -> Bool {
        guard phase == .greeting || phase == .open else { return false }
        let user = bearer.user
        guard let name = user.name, user != self.user else { return true }
        guard self.user.isNobody else {
            fail(.badMessage, "the connection has signed in as another user")
            return false
        }
        // What it has sent until now counts for its address. The address's rates no longer delay
        // it, as what it sends from now on counts for the user.
        _ = usage.charge(bytes: 0, at: loop.loop.nowMilliseconds)
        guard let account = loop.account(ofUser: name, sharedBy: bearer.sharer.name) else {
            return false
        }
        if let refusal = usage.signIn(as: user, of: account) {
            note(.signIn, .tooManyConnections, refusal, of: bearer)
            fail(.tooManyConnections, refusal)
            return false
        }
        noteNearLimits()
        useHolder(of: account)
        askRateAgain()
        return true
    }

    /// Limits have changed: a pause of reading may end earlier.
    func limitsDidChange() {
        holder.change(to: configuration.holderLimits)
        askRateAgain()
        if inbox.mayHaveInput { loop.flush(self) }
    }

    /// Ends a pause of reading. It begins anew if the account is still over a rate.
    private func askRateAgain() {
        guard let timer = usage.rateTimer else { return }
        timer.cancel()
        rateAllows()
    }

    // MARK: Proxies

    /// The PROXY header, which comes before everything else, is read.
    func proxyDidName(_ header: ProxyHeader) {
        switch header {
        case .incomplete, .whole(nil, _): break
        case .malformed(let text): fail(.badHandshake, text)
        case .whole(let source?, _):
            if let refusal = switchAddress(to: source) {
                return fail(.tooManyConnections, refusal)
            }
            noteNearLimits()
        }
    }
}

/// Whatever uses limits of an account for a connection.
protocol AccountUser: AnyObject {
    var loop: ServerLoop { get }
    var usage: AccountUse { get set }
    /// The memory that it uses, and its charge for input and output there.
    var holder: Holder { get set }
    var charge: Charge { get }
}

extension AccountUser {
    /// Identifies who shares its part of a turn: all connections of its user or its address, and of
    /// those with whom the user shares rooms; or only itself if the address is trusted.
    var owner: ObjectIdentifier {
        usage.account.map { ObjectIdentifier($0.holder.top) } ?? ObjectIdentifier(self)
    }

    /// Switches to the address that a proxy names.
    ///
    /// - Returns: why it may not; then nothing has changed.
    func switchAddress(to source: ProxyHeader.Source) -> String? {
        loop.context.log.log(
            .debug, "a proxy names a client", ["peer": source.text, "proxy": usage.peer])
        let account = loop.account(of: source.address)
        guard usage.switchAddress(to: account, at: source.text) else {
            return account?.tooManyConnections ?? ""
        }
        useHolder(of: account)
        return nil
    }

    /// Makes it a holder within an account's, and charges that for its input and output.
    func useHolder(of account: ClientAccount?) {
        holder = Holder(
            in: loop.context.pots, within: account?.holder,
            limits: loop.configuration.holderLimits)
        charge.move(to: holder.connection)
    }
}
