package import SyncLayout
import SyncModel
package import SyncWire

// The views that a member has of the room.
extension Membership {
    /// All that a view shows now; `nil` if it is not open.
    package func screen(of view: ViewNumber) -> ViewSnapshot? {
        views.snapshot(of: view)
    }

    /// The items on the screens of its views, in the room's order, each once, in its newest
    /// version.
    package var shownItems: [ShownItem] { views.shownItems }

    /// Opens a view, on this connection and on each later one.
    ///
    /// - Returns: its number; `nil` if the client is no longer in the room.
    func openView(layout: ViewLayout, bounds: ListRect, overscan: Double) -> ViewNumber? {
        isEnded ? nil : views.open(layout: layout, bounds: bounds, overscan: overscan)
    }

    func changeView(_ view: ViewNumber, _ settings: ViewSettings) {
        views.change(view, settings)
    }

    /// Sends the pending requests of the views.
    ///
    /// - Parameter send: writes the message; `nil` if it is larger than the server accepts.
    func pumpViews(send: (ViewRequest, _ join: RequestID?) -> Int?) {
        guard let name else { return }
        while let request = views.takeRequest(room: name.handle) {
            guard send(request, name.join) == nil, views.close(request.view) else { continue }
            observer?.membershipDidEnd(
                request.view,
                .server(
                    .limitExceeded, message: "the layout is larger than the server takes",
                    retry: false))
        }
    }

    /// The number of the last update that a view applied.
    func lastUpdate(of view: ViewNumber) -> UInt64 { views.screen(of: view)?.number ?? 0 }

    func closeView(_ view: ViewNumber) {
        guard views.close(view) else { return }
        loseDrag(in: view)
        observer?.membershipDidEnd(view, .closed)
    }

    /// Ends a view that the server refused or closed.
    func endView(_ view: ViewNumber, _ error: ClientError) {
        guard views.remove(view) else { return }
        loseDrag(in: view)
        observer?.membershipDidEnd(view, error)
    }

    /// Closes a view whose update exceeds a limit of the client.
    ///
    /// - Returns: whether the update may be applied.
    private func admit(_ update: ViewUpdate) -> Bool {
        guard let screen = views.screen(of: update.view) else { return true }
        let error: ClientError
        if screen.count(after: update) > limits.viewElements {
            error = .exceeded(.viewElements, limits.viewElements)
        } else if (update.isFirst ? 0 : screen.byteCount) + MemoryBytes.of(update)
            > limits.viewBytes
        {
            error = .exceeded(.viewBytes, limits.viewBytes)
        } else {
            return true
        }
        if views.close(update.view) {
            loseDrag(in: update.view)
            observer?.membershipDidEnd(update.view, error)
        }
        return false
    }

    func show(_ update: ViewUpdate) throws(ClientError) {
        guard admit(update) else { return }
        let change: ViewChange?
        do throws(ViewScreenError) {
            change = try views.apply(update)
        } catch {
            throw .viewUpdateDoesNotFit(error)
        }
        guard let change else { return }
        if let shift = update.shift, drags.drag?.view == update.view {
            drags.change { $0.boundsDidMove(by: shift) }
        }
        if options.isViewOnly {
            setRevision(isOutdated ? change.revision : max(revision ?? 0, change.revision))
        }
        observer?.membershipDidUpdate(update.view, change)
    }
}
