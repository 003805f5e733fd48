import SyncEngine
import SyncLayout
import SyncModel
import SyncSim
import SyncWire

/// A whole simulated server with two strangers. They send sensible and senseless messages in any
/// order, disconnect and come back. For some inputs the server asks for tokens, or speaks TLS.
///
/// - Everything that the server sends can be read.
/// - It tells nothing to a connection that is not welcome, and acknowledges nothing to one that has
///   shown no editor's token.
/// - Afterwards a guest that follows the protocol is served as if nothing had happened. It joins
///   the strangers' room, submits, sees its transaction, gets a view of the room, and drags an item
///   in it.
/// - The server ends when it is asked to.
enum ConversationFuzzer {
    private static let maximumSteps = 60

    static func run(_ input: UnsafeRawBufferPointer) {
        var bytes = InputBytes(input)
        let first = bytes.below(64)
        let settings = FuzzedWorld.Settings.all[first / 8]
        var choices = MessageChoices(bytes, hasTokens: settings.hasTokens)
        let world = FuzzedWorld(seed: UInt64(first % 8), settings)
        var strangers = [world.enter(), world.enter()]
        for stranger in strangers {
            stranger.send(.hello(Hello(token: choices.token(), agent: "stranger")))
        }
        for _ in 0..<maximumSteps where !choices.isAtEnd {
            let index = choices.below(strangers.count)
            switch choices.below(8) {
            case 0: strangers[index].send(bytes: choices.noise())
            case 1: world.simulation.run(forMilliseconds: choices.milliseconds())
            case 2:
                strangers[index].close()
                strangers[index] = world.enter()
            default: strangers[index].send(choices.message(to: strangers[index].handle))
            }
        }
        expectService(in: world)
        world.end()
    }

    /// Checks that a guest is served as if nothing had happened.
    static func expectService(in world: FuzzedWorld) {
        // By then the strangers' messages have arrived, and their connections have timed out.
        world.simulation.run(forMilliseconds: 200_000)
        let guest = world.enter(isTrusted: true)
        guest.send(.hello(Hello(token: world.guestToken, agent: "guest")))
        guest.send(.join(MessageChoices.join(as: "guest", request: 1)))
        expect(world.run { guest.handle != nil }, "the guest can't join: \(guest.lastError)")
        // The section may have been deleted, and the item may not exist.
        let section = ListSection(id: name(Engine.firstSection))
        let item = Item(id: name("guest's"))
        let operations: [ListOperation] = [
            .insertSection(section, to: Placement()),
            .insert(item, to: Placement(section: section.id)),
        ]
        guest.send(
            .submit(
                Submit(
                    room: guest.handle ?? 0, counter: 1,
                    transaction: packed(ListTransaction(base: 0, operations: operations)))))
        expect(
            world.run { guest.answer != nil },
            "the guest's transaction is not answered: \(guest.lastError)")
        guard case .ack(let ack) = guest.answer else {
            finding("the guest's transaction is refused: \(String(describing: guest.answer))")
        }
        expect(
            world.run { guest.revision >= ack.commit.revision },
            "the guest does not get its own edit")
        expectView(of: guest, in: world)
    }

    /// Checks that the guest gets a view of the room, unless that exceeds the limit of a view.
    private static func expectView(of guest: Visitor, in world: FuzzedWorld) {
        guard let handle = guest.handle else { finding("the guest has not joined a room") }
        guest.send(
            .view(
                ViewRequest(
                    room: handle, view: 1, layout: ViewLayout(.flow),
                    bounds: ListRect(width: 320, height: 480))))
        expect(
            world.run { guest.viewError != nil || !guest.screens.isEmpty },
            "the guest's view is not answered")
        let code = guest.viewError?.code
        expect(
            code == nil || code == .limitExceeded, "the guest's view is refused: \(guest.lastError)"
        )
        if code == nil { expectDrag(by: guest, in: world, handle) }
    }

    /// Checks that no drag of the strangers is left.
    private static func expectDrag(by guest: Visitor, in world: FuzzedWorld, _ handle: RoomHandle) {
        let begin = Drag.Step.begin(name("guest's"), view: 1, isShared: true)
        guest.send(.drag(Drag(room: handle, number: 1, begin)))
        expect(
            world.run { guest.dragTarget != nil },
            "the guest's drag is not accepted: \(guest.lastError)")
    }
}
