import SyncBytes
package import SyncLayout
import SyncModel

/// Where a drop would now put the item that is dragged in a view.
package struct DragTargetLine: Sendable, Equatable {
    /// The name that the program gave the view.
    package var view: String
    /// `nil` if the item would stay at its place.
    package var target: DropTarget?

    package init(view: String, target: DropTarget? = nil) {
        self.view = view
        self.target = target
    }
}

extension JSONWriter {
    mutating func write(_ line: DragTargetLine) {
        beginObject()
        key("view")
        write(text: line.view)
        if let target = line.target {
            key("to")
            write(target)
        }
        endObject()
    }

    mutating func write(_ target: DropTarget) {
        beginObject()
        key("section")
        write(text: target.section.text)
        if let after = target.after {
            key("after")
            write(text: after.text)
        }
        endObject()
    }
}

extension JSONNode {
    func dragTargetLine() throws(JSONError) -> DragTargetLine {
        var view: String?
        var target: DropTarget?
        enum Key: JSONName, CaseIterable { case view, to }
        for member in try members() {
            switch try member.key(Key.self) {
            case .view: view = try member.node.identifier().text
            case .to: target = try member.node.dropTarget()
            }
        }
        return DragTargetLine(view: try required(view, "view"), target: target)
    }
}
