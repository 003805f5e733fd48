/// What work takes, in steps: the one price list of a server.
///
/// A step is a turn's 10 ms divided by the 32,768 steps that a turn has by default: some 305 ns.
/// The prices are for a core of a cloud's machine of 2020 and a room of a million items, most of
/// which are in no cache. `collsync-bench costs` measures each of them, on the machine that it runs
/// on. None takes more than twice its price.
@usableFromInline
package enum WorkCost: CaseIterable, Sendable {
    // MARK: Reading

    /// A frame, and finding out what is in it.
    case frame
    /// Reading and checking bytes of a frame.
    case frameBytes
    /// A message that is no transaction: taking it apart, and doing it where that is little.
    case message
    /// A request: it goes to a room, to another queue or thread, and comes back with an answer.
    case request
    /// Taking bytes of such a message apart, into objects.
    case messageBytes
    /// What a heartbeat tells of a room.
    case heldRevision
    /// Making ready to inflate a frame, and inflating bytes.
    case inflation
    case inflatedBytes
    /// Checking bytes of a transaction that is not canonical, and taking them apart.
    case checkedBytes
    case looseBytes
    /// Going on behind what a channel was sent.
    case ready

    // MARK: Applying

    /// A transaction, beside the steps that the engine takes for it, and each of those: in a room
    /// of which caches hold much, and in a larger one.
    case transaction
    case engineStep
    case coldEngineStep
    /// An answer to a transaction.
    case answer
    /// Something that waited behind transactions, beside what it does.
    case task
    /// Letting a member go.
    case leave
    /// Telling a member that it is no longer in the room.
    case departure
    /// Closing a room, beside its image.
    case unload
    /// An image of a room: its nodes, and its bytes.
    case imageNode
    case imageBytes

    // MARK: Composing

    /// A snapshot: the nodes, and the bytes of content.
    case snapshotNode
    case snapshotBytes
    /// A batch: the journal's entries, and the bytes of content that they may bring.
    case batchEntry
    case batchBytes
    /// Sending a member something that is made.
    case delivery
    /// Deflating bytes.
    case deflatedBytes
    /// An element on the screen of a view.
    case element
    /// Freeing what a view had for an element that was on its screen.
    case goneElement
    /// A step of laying out, and of finding what is on a screen.
    case layoutStep
    /// Looking whether a member or a drag needs something.
    case look
    /// An item that a member shows others, or drags.
    case shownItem
    /// Telling members of another's presence: for each delivery that holds it, and making its
    /// bytes.
    case presence
    case presenceBytes
    /// Writing an item of little content for one who reads, see `RoomWalk`.
    case readItem
    /// Sending one who reads what is made.
    case readDelivery

    // MARK: Writing

    /// A write to a connection, and the bytes that go to the system.
    case write
    case writtenBytes

    /// So many steps for so many units.
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

    /// What it takes.
    @inlinable
    @inline(__always)
    package var price: Price {
        switch self {
        case .frame, .ready, .transaction, .engineStep: Price(1)
        case .frameBytes, .checkedBytes: Price(1, per: 256)
        case .message: Price(8)
        case .request: Price(32)
        case .coldEngineStep, .heldRevision, .shownItem: Price(2)
        case .messageBytes: Price(1, per: 32)
        case .inflation: Price(16)
        case .inflatedBytes: Price(1, per: 128)
        case .looseBytes: Price(1, per: 16)
        case .answer: Price(1, per: 4)
        case .task: Price(16)
        case .leave: Price(8)
        case .departure: Price(4)
        case .unload: Price(64)
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

    /// How many units so many steps suffice for, at least one.
    @inlinable
    @inline(__always)
    package func units(for steps: Int) -> Int {
        let (units, overflows) = steps.multipliedReportingOverflow(by: price.units)
        return overflows ? .max : max(1, units.parted(by: price.steps).whole)
    }
}

extension WorkCost {
    /// A room of more nodes is a large one.
    @inlinable package static var warmNodes: Int { 1 << 16 }

    /// How many steps the engine's take in a room of so many nodes.
    @inlinable
    @inline(__always)
    package static func engineSteps(_ count: Int, among nodes: Int) -> Int {
        nodes > warmNodes ? coldEngineStep.steps(count) : engineStep.steps(count)
    }

    /// How many steps of the engine so many suffice for, at least one.
    @inlinable
    @inline(__always)
    package static func engineUnits(for steps: Int, among nodes: Int) -> Int {
        nodes > warmNodes ? coldEngineStep.units(for: steps) : engineStep.units(for: steps)
    }
}

extension Int {
    /// Divides; a number below 0 counts as 0. Prices are constants, and without signs a division by
    /// one is a shift or a multiplication, which each transaction takes.
    @inlinable
    @inline(__always)
    func parted(by divisor: Int) -> (whole: Int, rest: Int) {
        let (whole, rest) = UInt(bitPattern: Swift.max(0, self)).quotientAndRemainder(
            dividingBy: UInt(bitPattern: divisor))
        return (Int(bitPattern: whole), Int(bitPattern: rest))
    }
}
