package import SyncModel

extension Role {
    /// The role of a name, as tests write it.
    package init?(_ name: String) {
        guard let role = Role.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }
}
