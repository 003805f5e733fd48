import SyncLayout
import SyncModel

// Points, sizes, rectangles and insets. A missing key is 0.

extension JSONNode {
    func point() throws(JSONError) -> ListPoint {
        var point = ListPoint()
        enum Key: JSONName, CaseIterable { case x, y }
        for member in try members() {
            switch try member.key(Key.self) {
            case .x: point.x = try member.node.number()
            case .y: point.y = try member.node.number()
            }
        }
        return point
    }

    /// A size for the layout. Unlike an item's size in a room, it may lack a length.
    func layoutSize() throws(JSONError) -> ListSize {
        var size = ListSize(width: 0, height: 0)
        enum Key: JSONName, CaseIterable { case width, height }
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
        enum Key: JSONName, CaseIterable { case x, y, width, height }
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
        enum Key: JSONName, CaseIterable { case top, left, bottom, right }
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
