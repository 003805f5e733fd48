import SyncModel

/// What a token allows, as it was issued.
struct Permit {
    var user: String
    /// Roles by the names of rooms; a room that is not among them is closed to the user.
    var roles: [String: Role]
    /// The end, in milliseconds of the simulated wall clock.
    var endMilliseconds: UInt64

    /// Whether it allows what needs a role.
    func allows(_ least: Role, in room: String) -> Bool {
        roles[room].map { $0 >= least } ?? false
    }
}
