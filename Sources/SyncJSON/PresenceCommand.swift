package import SyncModel

/// What a program shows to other members of a room. It replaces everything that the program showed
/// before.
package struct PresenceCommand: Sendable, Equatable {
    package var selected: [Identifier]
    package var highlighted: [Identifier]
    /// Any value.
    package var custom: Value?

    package init(
        selected: [Identifier] = [], highlighted: [Identifier] = [], custom: Value? = nil
    ) {
        self.selected = selected
        self.highlighted = highlighted
        self.custom = custom
    }
}

extension JSONNode {
    func presenceCommand() throws(JSONError) -> PresenceCommand {
        var command = PresenceCommand()
        enum Key: JSONName, CaseIterable { case selected, highlighted, custom }
        for member in try members() {
            switch try member.key(Key.self) {
            case .selected: command.selected = try member.node.identifiers()
            case .highlighted: command.highlighted = try member.node.identifiers()
            case .custom: command.custom = try member.node.anyValue()
            }
        }
        return command
    }
}
