import SyncClient
public import SyncLayout
import SyncWire

extension CollectionRoom {
    /// Opens a view of the room and waits for the first elements on its screen.
    ///
    ///     let bounds = ListRect(x: 0, y: 0, width: 375, height: 667)
    ///     let view = try await room.openView(LayoutSpec(kind: .waterfall), bounds: bounds)
    ///     for await event in view.events {
    ///         if case .updated(let change) = event { print(change.appeared.count, "more to see") }
    ///     }
    ///
    /// - Parameters:
    ///   - layout: how the room is laid out.
    ///   - environment: what surrounds the content. Its viewport is not used: the bounds take its
    ///     place.
    ///   - bounds: the part of the content that is on the screen, in points.
    ///   - overscan: how far beyond the bounds elements are wanted, in points.
    ///   - atBeginning: whether the bounds go to where the content begins, wherever they are. In a
    ///     layout that scrolls to the side from right to left that is its right end, which a client
    ///     can't know before.
    /// - Throws: `badView` if a number is not finite or a length is below 0, `limitExceeded` if it
    ///   is over a limit of the server, such as the number of views, `clientLimit` if the screen
    ///   exceeds a limit of the client, `unsupported` if the server has no views, or `closed`.
    public func openView(
        _ layout: LayoutSpec, in environment: LayoutEnvironment = .plain, bounds: ListRect,
        overscan: Double = 0, atBeginning: Bool = false
    ) async throws(CollectionError) -> CollectionView {
        let layout = ViewLayout(layout, in: environment)
        return try await host.ask { [self] session, answer in
            guard let membership = channel.value.membership else {
                return answer(.failure(CollectionError(.closed)))
            }
            let view = session.openView(
                of: membership, layout: layout, bounds: bounds, overscan: overscan
            ) { number in
                let view = ViewChannel(
                    session: session, membership: membership, number: number
                ) { result in
                    answer(result.map { CollectionView(of: self, channel: LoopConfined($0)) })
                }
                channel.value.add(view)
                guard atBeginning else { return }
                session.changeView(number, of: membership, ViewSettings(anchor: .beginning))
            }
            if view == nil { answer(.failure(CollectionError(.closed))) }
        }
    }
}
