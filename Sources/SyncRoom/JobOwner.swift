/// Who has a share of the workers' time: whose jobs take turns with others'.
package enum JobOwner: Hashable, Sendable {
    /// The server itself, for what nobody asked for.
    case server
    /// A connection from a trusted address.
    case connection(MemberID)
    /// All connections that share an address's account.
    case address(ObjectIdentifier)
}
