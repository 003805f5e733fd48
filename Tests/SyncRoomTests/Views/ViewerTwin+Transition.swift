import LayoutTwin
import SyncLayout
import SyncModel
import SyncWire

extension ViewerTwin {
    /// Describes what is wrong with where items begin that appear as one layout becomes another. An
    /// item that was in the room before begins at its place in the former layout, at the same
    /// distance from the bounds.
    ///
    /// Updates without a difference were not sent, so the former layout may be any of ``looks``.
    ///
    /// - Parameters:
    ///   - snapshot: the room that the update shows.
    ///   - old: the room that was shown before.
    func beginnings(
        in update: ViewUpdate, _ snapshot: Snapshot, before old: Snapshot?
    ) throws -> String? {
        guard update.isTransition, let old else { return nil }
        let known = Set(old.sections.flatMap { $0.items.map(\.id) })
        let layouts = try looks.map { ($0, try $0.layout(of: snapshot)) }
        for appeared in update.appeared {
            // The former layout may have had no supplementaries.
            guard case .cell = appeared.element.identity, known.contains(appeared.id) else {
                continue
            }
            let initial = appeared.initial.applied(to: appeared.element)
            let isRight = layouts.contains { look, layout in
                let identity = appeared.element.identity
                guard var element = layout.element(identity, bounds: look.bounds) else {
                    return false
                }
                element.frame.x += update.shift?.x ?? 0
                element.frame.y += update.shift?.y ?? 0
                return isSame(element, initial)
            }
            if !isRight { return "\(appeared.id) begins at \(initial)" }
        }
        return nil
    }

    /// The frames are sums with the shift, whose order of addition may differ.
    private func isSame(_ left: LayoutElement, _ right: LayoutElement) -> Bool {
        left.identity == right.identity && left.zIndex == right.zIndex
            && left.isHidden == right.isHidden && isSame(left.alpha, right.alpha)
            && isSame(left.scale, right.scale) && isSame(left.frame.x, right.frame.x)
            && isSame(left.frame.y, right.frame.y) && isSame(left.frame.width, right.frame.width)
            && isSame(left.frame.height, right.frame.height)
    }

    private func isSame(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 1e-6 }
}
