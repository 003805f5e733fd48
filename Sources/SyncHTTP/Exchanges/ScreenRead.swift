import SyncClient
import SyncJSON
import SyncLayout
import SyncModel
import SyncServer
import SyncWire

/// A request for what a viewport of a room shows: it opens a view, and leaves the room when the
/// view's screen is complete. So the answer is of one revision, and a room of any size is read only
/// as far as its screen goes.
class ScreenRead: RoomVisit {
    /// What the screen shows, as it comes.
    private(set) var screen: ViewScreen?
    private var view: ViewNumber = 0

    /// The most bytes of content on a screen, and of the line about it, in which each element has
    /// its content.
    static let mostBytes = 8 << 20
    private static let bytesOfElement = 256

    override var memoryBytes: Int { 512 + textBytes }

    /// About how many bytes the answer takes, once as content, and once as text.
    final var textBytes: Int {
        screen.map { $0.byteCount + $0.elementCount * ScreenRead.bytesOfElement } ?? 0
    }

    /// What to show; `nil` if the request is answered already.
    func viewCommand() -> ViewCommand? { nil }
    /// The screen is complete.
    func didShow(_ screen: ViewScreen) {}

    override func didJoin(_ joined: Joined) {
        guard let command = viewCommand(), let bounds = command.bounds else { return }
        screen = ViewScreen(bounds: bounds)
        // A number that no view of the session had before, since updates of those may still come.
        view = session.nextRequest()
        session.link.send(
            .view(
                ViewRequest(
                    room: joined.handle, view: view, layout: command.layout, bounds: bounds,
                    overscan: command.overscan, snaps: command.snaps, anchor: command.anchor,
                    serial: 1)))
    }

    override func receiveAsMember(_ message: ServerMessage) {
        switch message {
        case .viewUpdate(let update) where update.view == view: show(update)
        case .error(let error):
            guard case .view(let number, _, _) = error.subject, number == view else { return }
            end(error)
        default: break
        }
    }

    private func show(_ update: ViewUpdate) {
        guard var shown = screen else { return }
        screen = nil
        do throws(ViewScreenError) {
            _ = try shown.apply(update)
        } catch {
            return refuse(
                ErrorMessage(.internalError, "an update does not fit the screen (\(error))"))
        }
        screen = shown
        guard shown.byteCount <= ScreenRead.mostBytes else { return refuseLargeScreen() }
        if !update.hasMore { didShow(shown) }
    }

    final func refuseLargeScreen() {
        refuse(
            ErrorMessage(
                .limitExceeded,
                "what is shown has more than \(ScreenRead.mostBytes) bytes: ask for less"))
    }
}
