/// The cost of work, in steps: the one price list of a server.
///
/// A step is a turn's 10 ms divided by the 32,768 steps that a turn has by default: some 305 ns.
/// The prices are for one core of a cloud server of 2020, and for a room of a million items, most
/// of which are in no cache. `collsync-bench costs` measures each of them on the machine that it
/// runs on. No work takes more than twice its price.
@usableFromInline
package enum WorkCost: CaseIterable, Sendable {
    // MARK: Reading

    /// A frame, and finding out which message it has.
    case frame
    /// Reading and checking bytes of a frame.
    case frameBytes
    /// A message that is no transaction: decoding it, and doing what it asks for if that is little.
    case message
    /// A request: it goes to a room, or to another queue or thread, and its answer comes back.
    case request
    /// Decoding bytes of such a message into objects.
    case messageBytes
    /// A heartbeat's entry for a room.
    case heldRevision
    /// Preparing to inflate a frame, and inflating bytes.
    case inflation
    case inflatedBytes
    /// Checking bytes of a transaction that is not canonical, and decoding them.
    case checkedBytes
    case looseBytes
    /// Continuing when a client has read what a channel was sent.
    case ready

    /// A request over HTTP, without what it asks for, and bytes of its head and its body.
    case webRequest
    case webBytes
    /// A line of JSON that a client sends, its bytes, and what is made of it: an element of a list,
    /// a value of any kind, a key that the client chooses, or a name in an error.
    case webLine
    case webLineBytes
    case webLineValue

    // MARK: Applying

    /// A transaction without the steps of the engine. Then such a step: in a room that is mostly in
    /// caches, and in a larger one.
    case transaction
    case engineStep
    case coldEngineStep
    /// An answer to a transaction. Then what a refusal costs beyond that: saying why, and
    /// remembering it.
    case answer
    case refusal
    /// Running a task of a room, without what the task does.
    case task
    /// Removing a member.
    case leave
    /// Sending a connection the message that it is no longer in the room.
    case departure
    /// Beginning with a room that a worker has built, or that is new.
    case opening
    /// Closing a room, without making its image.
    case unload
    /// An image of a room: its nodes, and its bytes.
    case imageNode
    case imageBytes

    // MARK: Composing

    /// A snapshot: its nodes, and its bytes of content.
    case snapshotNode
    case snapshotBytes
    /// A batch: the journal entries that it visits, and the bytes of content that these may add.
    case batchEntry
    case batchBytes
    /// Sending a member frames that are encoded already.
    case delivery
    /// Deflating bytes.
    case deflatedBytes
    /// An element on the screen of a view.
    case element
    /// Freeing an element of a closed view's screen.
    case goneElement
    /// A step of a layout: laying out, or finding the elements on a screen.
    case layoutStep
    /// Checking whether a member or a drag needs something.
    case look
    /// An item that a member shows others, or drags.
    case shownItem
    /// Sending presence: an entry of a delivery, and encoding its bytes.
    case presence
    case presenceBytes
    /// Encoding an item of little content for a reader, see `RoomWalk`.
    case readItem
    /// Sending a reader frames that are encoded already.
    case readDelivery

    // MARK: Writing

    /// A write to a connection, and the bytes that the system gets.
    case write
    case writtenBytes

    /// A number of steps for a number of units.
    @usableFromInline
    package struct Price: Sendable {
        @usableFromInline package let steps: Int
        @usableFromInline package let units: Int

        @inlinable
        package init(_ steps: Int, per units: Int = 1) {
            self.steps = steps
            self.units = units
        }
    }

    /// The price of one kind of work.
    @inlinable
    @inline(__always)
    package var price: Price {
        switch self {
        case .frame, .ready, .transaction, .engineStep: Price(1)
        case .frameBytes, .checkedBytes: Price(1, per: 256)
        case .message: Price(8)
        case .request: Price(32)
        case .webRequest: Price(64)
        case .webBytes: Price(1, per: 4)
        case .webLine: Price(6)
        case .webLineBytes: Price(1, per: 24)
        case .webLineValue: Price(1)
        case .coldEngineStep, .heldRevision, .shownItem, .refusal: Price(2)
        case .messageBytes: Price(1, per: 32)
        case .inflation: Price(16)
        case .inflatedBytes: Price(1, per: 128)
        case .looseBytes: Price(1, per: 16)
        case .answer: Price(1, per: 4)
        case .task: Price(16)
        case .leave: Price(8)
        case .departure: Price(4)
        case .opening, .unload: Price(64)
        case .imageNode, .batchEntry, .delivery, .element: Price(1)
        case .imageBytes: Price(1, per: 128)
        case .snapshotNode, .readItem: Price(1, per: 2)
        case .snapshotBytes, .batchBytes: Price(1, per: 256)
        case .presenceBytes: Price(1, per: 64)
        case .deflatedBytes: Price(1, per: 32)
        case .layoutStep, .look: Price(1, per: 16)
        case .presence, .goneElement: Price(1, per: 8)
        case .readDelivery, .write: Price(8)
        case .writtenBytes: Price(1, per: 256)
        }
    }

    /// How many steps so many units take.
    @inlinable
    @inline(__always)
    package func steps(_ count: Int = 1) -> Int {
        let (whole, rest) = count.parted(by: price.units)
        return whole &* price.steps &+ (rest &* price.steps).parted(by: price.units).whole
    }

    /// How many units so many steps pay for, at least one.
    @inlinable
    @inline(__always)
    package func units(for steps: Int) -> Int {
        let (units, overflows) = steps.multipliedReportingOverflow(by: price.units)
        return overflows ? .max : max(1, units.parted(by: price.steps).whole)
    }
}

extension WorkCost {
    /// How long a step takes.
    package static var stepNanoseconds: Int { 305 }

    /// A room of more nodes is a large one, which does not fit into caches.
    @inlinable package static var warmNodes: Int { 1 << 16 }

    /// The steps that so many of the engine's own steps cost, in a room of so many nodes.
    @inlinable
    @inline(__always)
    package static func engineSteps(_ count: Int, among nodes: Int) -> Int {
        nodes > warmNodes ? coldEngineStep.steps(count) : engineStep.steps(count)
    }

    /// How many of the engine's own steps so many steps pay for, at least one.
    @inlinable
    @inline(__always)
    package static func engineUnits(for steps: Int, among nodes: Int) -> Int {
        nodes > warmNodes ? coldEngineStep.units(for: steps) : engineStep.units(for: steps)
    }
}

extension Int {
    /// Divides; a number below 0 counts as 0. Each transaction does this. Prices are constants, and
    /// an unsigned division by a constant is only a shift or a multiplication.
    @inlinable
    @inline(__always)
    func parted(by divisor: Int) -> (whole: Int, rest: Int) {
        let (whole, rest) = UInt(bitPattern: Swift.max(0, self)).quotientAndRemainder(
            dividingBy: UInt(bitPattern: divisor))
        return (Int(bitPattern: whole), Int(bitPattern: rest))
    }
}
