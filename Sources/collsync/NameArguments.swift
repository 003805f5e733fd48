public import ArgumentParser
public import SyncModel

// Names on the command line are compared by their bytes, as everywhere. What can't be a name is a
// mistake in the command line, not a name of nothing.

extension RoomName: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

extension Identifier: ExpressibleByArgument {
    /// Reads a name from the command line.
    public init?(argument: String) {
        guard let name = try? Identifier(argument) else { return nil }
        self = name
    }
}
