import SyncLayout
import SyncModel

// Points, sizes and what is made of them. In all of these what is not said is 0.

extension JSONNode {
    func point() throws(JSONError) -> ListPoint {
        var point = ListPoint()
        enum Key: String, CaseIterable { case x, y }
        for member in try members() {
            switch try member.key(Key.self) {
            case .x: point.x = try member.node.number()
            case .y: point.y = try member.node.number()
            }
        }
        return point
    }

    /// A size of the layout's; that of an item in a room has both its lengths.
    func layoutSize() throws(JSONError) -> ListSize {
        var size = ListSize(width: 0, height: 0)
        enum Key: String, CaseIterable { case width, height }
        for member in try members() {
            switch try member.key(Key.self) {
            case .width: size.width = try member.node.number()
            case .height: size.height = try member.node.number()
            }
        }
        return size
    }

    func rect() throws(JSONError) -> ListRect {
        var rect = ListRect()
        enum Key: String, CaseIterable { case x, y, width, height }
        for member in try members() {
            switch try member.key(Key.self) {
            case .x: rect.x = try member.node.number()
            case .y: rect.y = try member.node.number()
            case .width: rect.width = try member.node.number()
            case .height: rect.height = try member.node.number()
            }
        }
        return rect
    }

    func insets() throws(JSONError) -> Insets {
        var insets = Insets()
        enum Key: String, CaseIterable { case top, left, bottom, right }
        for member in try members() {
            switch try member.key(Key.self) {
            case .top: insets.top = try member.node.number()
            case .left: insets.left = try member.node.number()
            case .bottom: insets.bottom = try member.node.number()
            case .right: insets.right = try member.node.number()
            }
        }
        return insets
    }
}
