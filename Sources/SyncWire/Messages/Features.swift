/// What a side of a connection can do beyond the basic protocol. A feature is in use if both sides
/// have it.
package struct Features: OptionSet, Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// It reads deflated frames.
    package static let deflate = Features(rawValue: 1)
    /// It shows the members of a room to each other.
    package static let presence = Features(rawValue: 2)
    /// Items can be dragged in its views.
    package static let drags = Features(rawValue: 4)
    /// It reads frames that are deflated without the dictionary; with ``deflate`` too, those with
    /// it.
    package static let plainDeflate = Features(rawValue: 8)
    /// It answers ``ReadItems``.
    package static let items = Features(rawValue: 16)
    /// It knows guards of operations. Another server would apply the operation without its guard.
    package static let guards = Features(rawValue: 32)
    /// All that this program knows.
    package static let all: Features = [
        .deflate, .presence, .drags, .plainDeflate, .items, .guards,
    ]
}
