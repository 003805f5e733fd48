import SyncLayout
import SyncModel

// Points, sizes and what is made of them. In all of these what is not said is 0.

extension JSONNode {
    func point() throws(JSONError) -> ListPoint {
        var point = ListPoint()
        for member in try members() {
            switch member.key {
            case "x": point.x = try member.node.number()
            case "y": point.y = try member.node.number()
            default: throw member.unknownKey
            }
        }
        return point
    }

    /// A size of the layout's; that of an item in a room has both its lengths.
    func layoutSize() throws(JSONError) -> ListSize {
        var size = ListSize(width: 0, height: 0)
        for member in try members() {
            switch member.key {
            case "width": size.width = try member.node.number()
            case "height": size.height = try member.node.number()
            default: throw member.unknownKey
            }
        }
        return size
    }

    func rect() throws(JSONError) -> ListRect {
        var rect = ListRect()
        for member in try members() {
            switch member.key {
            case "x": rect.x = try member.node.number()
            case "y": rect.y = try member.node.number()
            case "width": rect.width = try member.node.number()
            case "height": rect.height = try member.node.number()
            default: throw member.unknownKey
            }
        }
        return rect
    }

    func insets() throws(JSONError) -> Insets {
        var insets = Insets()
        for member in try members() {
            switch member.key {
            case "top": insets.top = try member.node.number()
            case "left": insets.left = try member.node.number()
            case "bottom": insets.bottom = try member.node.number()
            case "right": insets.right = try member.node.number()
            default: throw member.unknownKey
            }
        }
        return insets
    }
}
