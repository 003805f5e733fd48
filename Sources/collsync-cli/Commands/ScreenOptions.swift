import ArgumentParser
import Glibc
import SyncModel

/// How a view is drawn on a terminal.
struct ScreenOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The points of a character (default: 5x10, or what --width and --height make it).
            """, valueName: "WxH"))
    var character: CharacterSize?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The field that has the titles of items and sections.", valueName: "field"),
        transform: Identifier.ofField)
    var title: Identifier = "title"

    /// The scale from points to characters.
    func scale(_ viewport: ViewportOptions) -> CharacterScale {
        CharacterScale(
            character: character?.size ?? CharacterScale.usual, width: viewport.width,
            height: viewport.height)
    }

    /// Whether the terminal supports drawing, according to the environment.
    static var hasScreen: Bool {
        guard let terminal = getenv("TERM") else { return false }
        return !["", "dumb"].contains(String(cString: terminal))
    }
}

/// A size on the command line, such as `5x10`.
struct CharacterSize: ExpressibleByArgument, Hashable {
    let size: ListSize

    init?(argument: String) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false)
            .map { Double($0) ?? 0 }
        guard sides.count == 2, sides.allSatisfy({ (0.01...10_000).contains($0) }) else {
            return nil
        }
        size = ListSize(width: sides[0], height: sides[1])
    }
}

extension Identifier {
    /// The name of a field on the command line.
    static func ofField(_ text: String) throws -> Identifier {
        guard let name = try? Identifier(text) else {
            throw ValidationError(
                "a field's name is 1 to \(Identifier.maximumLength) bytes without control characters"
            )
        }
        return name
    }
}
