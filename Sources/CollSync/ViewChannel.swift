import SyncClient
import SyncLayout
import SyncWire

/// Delivers the events of a view from the session's loop to tasks. It is used on the loop only.
final class ViewChannel {
    let membership: Membership
    let number: ViewNumber
    private var broadcast: Broadcast<ViewEvent>
    /// Called once: with the first update, or with why there is no view.
    private var opened: ((Result<ViewChannel, CollectionError>) -> Void)?

    init(
        session: ClientSession, membership: Membership, number: ViewNumber,
        opened: @escaping (Result<ViewChannel, CollectionError>) -> Void
    ) {
        self.membership = membership
        self.number = number
        broadcast = Broadcast(session: session) { event in
            guard case .updated(let change) = event else { return 0 }
            return MemoryBytes.of(change)
        }
        self.opened = opened
    }

    /// All that is shown now; `nil` if the view is closed.
    var screen: ViewSnapshot? { membership.screen(of: number) }

    func subscribe(_ inbox: EventInbox<ViewEvent>, pausing pause: ReadingPause) {
        broadcast.add(inbox, pausing: pause) {
            screen.flatMap(ViewChange.init(showing:)).map { [.updated($0)] } ?? []
        }
    }

    func didUpdate(_ change: ViewChange) {
        broadcast.send(.updated(change))
        opened.take()?(.success(self))
    }

    func didDrag(to target: DropTarget?) {
        broadcast.send(.dragged(to: target))
    }

    func didLoseDrag(_ error: CollectionError) {
        broadcast.send(.dragEnded(error))
    }

    func didEnd(_ error: CollectionError) {
        broadcast.finish(.ended(error))
        opened.take()?(.failure(error))
    }
}
