/// What is asked of a room, but for transactions.
package struct RoomTask {
    package enum Kind: Sendable {
        /// Somebody wants to be a member.
        case join
        /// A view opens, changes or closes.
        case view
        /// A drag begins or ends.
        case drag
        /// A dragged item is somewhere else.
        case dragUpdate
        /// A member shows the others something else.
        case presence
        /// The room, its past or its figures are read.
        case read
    }

    package let kind: Kind
    /// The kind of message that asks for it, for who watches how long things take.
    package var message: StaticString?
    /// The connection that asks; `nil` if it is the server.
    package let asker: MemberID?
    /// At whose expense the room is opened for it; `nil` if it is the server's.
    package let holder: Holder?
    /// Does it. The state is here.
    let perform: (Room) -> Void
    /// Says why it is not done. What has none waits until it is done, or its connection leaves.
    let refuse: ((RoomRefusal) -> Void)?
    /// Has the room made, if there is none, at the expense of who asks; `false` if that is not to be. What has none
    /// finds no room.
    let makesRoom: (() -> Bool)?
    /// Gives back what its connection was charged for it: called once, when it is done or dropped.
    let whenOver: () -> Void

    package init(
        _ kind: Kind, for asker: MemberID?, at holder: Holder? = nil,
        perform: @escaping (Room) -> Void, refuse: ((RoomRefusal) -> Void)? = nil,
        makesRoom: (() -> Bool)? = nil, whenOver: @escaping () -> Void = {}
    ) {
        self.kind = kind
        self.asker = asker
        self.holder = holder
        self.perform = perform
        self.refuse = refuse
        self.makesRoom = makesRoom
        self.whenOver = whenOver
    }

    /// Whether who asks is told if it is not done.
    package var getsAnswer: Bool { refuse != nil }

    /// Says why it is not done, without having waited.
    package func end(_ refusal: RoomRefusal) {
        refuse?(refusal)
        whenOver()
    }
}
