import SyncModel

/// What a token allows, as it was issued.
struct Permit {
    var user: Identifier
    /// Roles by the names of rooms; a room that is not among them is closed to the user.
    var roles: [RoomName: Role]
    /// Whether it makes its user an admin of all rooms.
    var isOfOperator = false
    /// The end, in milliseconds of the simulated wall clock.
    var endMilliseconds: UInt64
    var id: String
    /// The key that signed it.
    var key: String
    /// When it was issued, in seconds of the simulated wall clock.
    var issuedSeconds: UInt64

    /// The same without the roles that are taken back.
    func without(_ taken: some Sequence<TakenBack>) -> Permit {
        var rest = self
        for case let taken in taken where taken.covers(rest) {
            if let room = taken.room { rest.roles[room] = nil }
        }
        return rest
    }

    /// Whether it allows what needs a role.
    func allows(_ least: Role, in room: RoomName) -> Bool {
        roles[room].map { $0 >= least } ?? false
    }
}

/// Tokens that are taken back.
struct TakenBack: Equatable, CustomStringConvertible {
    enum What: Equatable {
        case token(String)
        case user(Identifier)
        case role(of: Identifier, in: RoomName)
        case key(String)
        case everything
    }

    var what: What
    /// The last second in which tokens were issued that are taken back, for a user and everything.
    var throughSeconds: UInt64

    /// The room in which a role is taken back. The rest of the token stays good.
    var room: RoomName? {
        if case .role(_, let room) = what { room } else { nil }
    }

    func covers(_ permit: Permit) -> Bool {
        switch what {
        case .token(let id): permit.id == id
        case .user(let name): permit.user == name && permit.issuedSeconds <= throughSeconds
        case .role(let name, let room):
            permit.user == name && permit.issuedSeconds <= throughSeconds
                && permit.roles[room] != nil
        case .key(let id): permit.key == id
        case .everything: permit.issuedSeconds <= throughSeconds
        }
    }

    var description: String { "\(what) through \(throughSeconds)" }
}
