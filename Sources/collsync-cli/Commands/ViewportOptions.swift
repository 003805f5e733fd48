public import ArgumentParser
import SyncJSON
public import SyncLayout
import SyncModel
import SyncTerminal

/// The viewport of a layout.
struct ViewportOptions: ParsableArguments {
    @Option(name: .long, help: "The width of the viewport in points (default: 375).")
    var width: Double?

    @Option(name: .long, help: "Its height (default: 667).")
    var height: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: """
            How far it is scrolled to the right. Without --x and --y it is at the beginning, which in \
            a layout that scrolls to the side from right to left is the right end.
            """)
    var x: Double?

    @Option(name: .long, parsing: .unconditional, help: "How far it is scrolled down.")
    var y: Double?

    static let usual = ListRect(width: 375, height: 667)

    func validate() throws {
        for (name, value) in [("width", width), ("height", height)] {
            guard let value else { continue }
            guard value > 0, value.isFinite else {
                throw ValidationError("--\(name) must be a number above 0")
            }
        }
        for (name, value) in [("x", x), ("y", y)] where value?.isFinite == false {
            throw ValidationError("--\(name) must be a number")
        }
    }

    /// Whether it is at the beginning of the content, wherever that is.
    var isAtBeginning: Bool { x == nil && y == nil }

    /// The viewport; missing options come from `usual`.
    func bounds(over usual: ListRect = ViewportOptions.usual) -> ListRect {
        ListRect(
            x: x ?? usual.x, y: y ?? usual.y, width: width ?? usual.width,
            height: height ?? usual.height)
    }
}

extension LayoutSpec.Kind: ExpressibleByArgument {}

extension LayoutSpec {
    /// The layout that `--layout` and `--spec` ask for. Warns about options that it does not use.
    static func given(_ kind: Kind, options: String?) throws(Failure) -> LayoutSpec {
        do {
            let spec = try LayoutSpec(text: options ?? "{}", kind: kind)
            if let warning = spec.warning() { Terminal.say("warning: --spec: \(warning)") }
            return spec
        } catch {
            throw Failure("--spec: \(error)", exitCode: Failure.usage, code: "malformed")
        }
    }
}
