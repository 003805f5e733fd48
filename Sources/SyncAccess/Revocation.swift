import SyncBytes
package import SyncModel

/// Takes access back before a token or a certificate expires. A certificate counts as issued when
/// its validity begins. Times are seconds since 1970.
package enum Revocation: Sendable, Hashable {
    /// One token, by its id.
    case token(Identifier)
    /// All tokens and certificates of a user that were issued up to a time.
    case user(Identifier, through: UInt64)
    /// A user's role in one room, by tokens and certificates that were issued up to a time.
    case role(of: Identifier, in: RoomName, through: UInt64)
    /// All tokens that a key has signed.
    case key(Identifier)
    /// All tokens and certificates that were issued up to a time.
    case all(through: UInt64)
}

/// All revocations of a server. They only become more.
package struct Revocations: Sendable, Equatable {
    private var tokens: Set<Identifier> = []
    private var keys: Set<Identifier> = []
    private var users: [Identifier: UInt64] = [:]
    private var roles: [Identifier: [RoomName: UInt64]] = [:]
    private var roleCount = 0
    private var issuedThrough: UInt64?

    /// How many revocations there are at most.
    package static let maximumCount = 100_000
    /// In how many rooms a user's role is taken back at most, since each is looked at whenever the
    /// user signs in.
    package static let maximumRolesOfUser = 1_000

    package init() {}

    /// As many as fit of some that somebody has written.
    package init(_ revocations: [Revocation]) {
        for revocation in revocations { insertWritten(revocation) }
    }

    package var count: Int { tokens.count + keys.count + users.count + roleCount }

    /// Adds a revocation; `false` if there are too many.
    ///
    /// - Returns: whether it is among the revocations now.
    @discardableResult
    package mutating func insert(_ revocation: Revocation) -> Bool {
        let isFull = count >= Revocations.maximumCount
        switch revocation {
        case .token(let id):
            guard !isFull || tokens.contains(id) else { return false }
            tokens.insert(id)
        case .key(let id):
            guard !isFull || keys.contains(id) else { return false }
            keys.insert(id)
        case .user(let name, let time):
            guard !isFull || users[name] != nil else { return false }
            users[name] = max(users[name] ?? 0, time)
        case .role(let name, let room, let time):
            let known = roles[name]?[room]
            if known == nil {
                let own = roles[name]?.count ?? 0
                guard !isFull, own < Revocations.maximumRolesOfUser else { return false }
                roleCount += 1
            }
            roles[name, default: [:]][room] = max(known ?? 0, time)
        case .all(let time): issuedThrough = max(issuedThrough ?? 0, time)
        }
        return true
    }

    /// Adds a revocation that somebody has written already. Of a user who has too many roles that
    /// are taken back, all access is taken back.
    ///
    /// - Returns: whether it is among the revocations now, or such a one.
    @discardableResult
    package mutating func insertWritten(_ revocation: Revocation) -> Bool {
        if insert(revocation) { return true }
        guard case .role(let name, _, let time) = revocation else { return false }
        return insert(.user(name, through: time))
    }

    /// Adds all revocations of another set, which somebody has written; `false` if there are too
    /// many.
    @discardableResult
    package mutating func formUnion(_ others: Revocations) -> Bool {
        var fit = true
        for id in others.tokens { fit = insert(.token(id)) && fit }
        for id in others.keys { fit = insert(.key(id)) && fit }
        for (name, time) in others.users { fit = insert(.user(name, through: time)) && fit }
        for (name, rooms) in others.roles {
            for (room, time) in rooms {
                fit = insertWritten(.role(of: name, in: room, through: time)) && fit
            }
        }
        if let time = others.issuedThrough { insert(.all(through: time)) }
        return fit
    }

    /// The revocations that another set does not have.
    package func missing(in others: Revocations) -> [Revocation] {
        var missing = tokens.subtracting(others.tokens).map { Revocation.token($0) }
        missing += keys.subtracting(others.keys).map { .key($0) }
        for (name, time) in users where others.users[name].map({ $0 < time }) ?? true {
            missing.append(.user(name, through: time))
        }
        for (name, rooms) in roles {
            for (room, time) in rooms {
                let revocation = Revocation.role(of: name, in: room, through: time)
                if !others.contains(revocation) { missing.append(revocation) }
            }
        }
        if let time = issuedThrough, others.issuedThrough.map({ $0 < time }) ?? true {
            missing.append(.all(through: time))
        }
        return missing
    }

    /// Whether a revocation would add nothing.
    package func contains(_ revocation: Revocation) -> Bool {
        switch revocation {
        case .token(let id): tokens.contains(id)
        case .key(let id): keys.contains(id)
        case .user(let name, let time): users[name].map { $0 >= time } ?? false
        case .role(let name, let room, let time):
            roles[name]?[room].map { $0 >= time } ?? false
        case .all(let time): issuedThrough.map { $0 >= time } ?? false
        }
    }

    /// What is left of access when roles are taken back; `nil` if all is, or all of whoever has
    /// shared it. Access without a token or a certificate stays as it is.
    ///
    /// Cost: O(1), and the number of roles of this user that are taken back, each times the grants.
    package func remainder(of access: Access) -> Access? {
        guard let issued = access.issued else { return access }
        if cover(access) { return nil }
        let own = access.user.name.map { rooms(withheldFrom: $0, issued) } ?? []
        guard let sharer = access.sharer else { return access.without(own) }
        // Only one room is shared by a token.
        let shared = rooms(withheldFrom: sharer.user, sharer.issued)
        return shared.contains { access.role(in: $0) != nil } ? nil : access.without(own)
    }

    private func rooms(withheldFrom user: Identifier, _ issued: UInt64) -> Set<RoomName> {
        guard let rooms = roles[user] else { return [] }
        return Set(rooms.lazy.filter { issued <= $0.value }.map(\.key))
    }

    /// Whether access is taken back as a whole, or that of who has shared it. O(1).
    private func cover(_ access: Access) -> Bool {
        guard let issued = access.issued else { return false }
        if cover(access.user.name, issued) { return true }
        if let token = access.token, tokens.contains(token.id) || keys.contains(token.key) {
            return true
        }
        guard let sharer = access.sharer else { return false }
        return cover(sharer.user, sharer.issued) || tokens.contains(sharer.token)
            || keys.contains(sharer.key)
    }

    private func cover(_ user: Identifier?, _ issued: UInt64) -> Bool {
        if let issuedThrough, issued <= issuedThrough { return true }
        guard let user, let time = users[user] else { return false }
        return issued <= time
    }
}

extension Revocation {
    /// The most bytes of a line: a time, a word, and a room and a user.
    static let maximumLineBytes = 32 + 2 * Identifier.maximumLength

    /// Reads a line: a time, then `token ID`, `user NAME`, `role ROOM/NAME`, `key ID` or `all`;
    /// `nil` if it is none.
    ///
    ///     2026-01-31T12:34:56Z user ann
    ///
    /// For a user, a role and for all, the time is that of the last that are revoked. A name is all
    /// that follows, spaces too: the line is read by bytes, whatever a name begins with.
    package init?(line: UnsafeRawBufferPointer) {
        guard line.count <= Revocation.maximumLineBytes else { return nil }
        let parts = line.split(
            separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false
        ).map { UnsafeRawBufferPointer(rebasing: $0) }
        guard parts.count >= 2, let time = UTCSeconds.parse(parts[0]) else { return nil }
        let word = parts[1]
        if parts.count == 2 {
            guard word.isSame(as: "all") else { return nil }
            self = .all(through: time)
            return
        }
        if word.isSame(as: "role") {
            self.init(roleOf: parts[2], through: time)
            return
        }
        guard let name = try? Identifier(bytes: parts[2]) else { return nil }
        if word.isSame(as: "token") {
            self = .token(name)
        } else if word.isSame(as: "user") {
            self = .user(name, through: time)
        } else if word.isSame(as: "key") {
            self = .key(name)
        } else {
            return nil
        }
    }

    /// Reads a room, which has no `/`, and a user.
    private init?(roleOf text: UnsafeRawBufferPointer, through time: UInt64) {
        let parts = text.split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false
        ).map { UnsafeRawBufferPointer(rebasing: $0) }
        guard parts.count == 2, let room = RoomName(bytes: parts[0]),
            let name = try? Identifier(bytes: parts[1])
        else { return nil }
        self = .role(of: name, in: room, through: time)
    }

    /// Its line, without the end of the line.
    ///
    /// - Parameter now: when it is made, for those that need no time.
    package func line(at now: UInt64) -> String {
        switch self {
        case .token(let id): "\(UTCSeconds.text(now)) token \(id)"
        case .user(let name, let time): "\(UTCSeconds.text(time)) user \(name)"
        case .role(let name, let room, let time):
            "\(UTCSeconds.text(time)) role \(room)/\(name)"
        case .key(let id): "\(UTCSeconds.text(now)) key \(id)"
        case .all(let time): "\(UTCSeconds.text(time)) all"
        }
    }
}
