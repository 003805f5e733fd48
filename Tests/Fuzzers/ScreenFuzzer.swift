import SyncClient
import SyncLayout
import SyncWire

/// Sends updates of an arbitrary server to the screen of a client's view, over several connections.
///
/// - An update is applied as a whole, or is a typed error and changes nothing.
/// - Its changes lead from the former elements to the new ones.
/// - The first update of a connection always fits, unless it contradicts itself.
/// - The wire does not change an update; only invalid sizes are refused there.
enum ScreenFuzzer {
    private static let maximumUpdates = 12

    static func run(_ input: UnsafeRawBufferPointer) {
        var choices = InputBytes(input)
        var screen = ViewScreen(bounds: choices.rect())
        for _ in 0..<maximumUpdates where !choices.isAtEnd {
            if choices.oneIn(6) { screen.didLoseConnection() }
            if choices.oneIn(6) { screen.bounds.y = choices.number() }
            let update = choices.viewUpdate(number: screen.number &+ 1)
            if isReadable(update) { apply(update, to: &screen) }
        }
    }

    private static func apply(_ update: ViewUpdate, to screen: inout ViewScreen) {
        let before = screen.snapshot
        do throws(ViewScreenError) {
            let change = try screen.apply(update)
            expect(
                screen.number == update.number,
                "the screen has number \(screen.number) after \(update)")
            expect(
                screen.revision == update.revision,
                "the screen is not at revision \(update.revision) after \(update)")
            expectFits(change, before, screen.snapshot)
        } catch {
            expect(
                text(screen.snapshot) == text(before),
                "a refused update has changed the screen: \(error)")
            guard update.isFirst else { return }
            switch error {
            case .repeatedKey, .unknownKey, .unknownThing, .repeatedThing: break
            case .wrongNumber: finding("a first update is refused for its number: \(update)")
            }
        }
    }

    private static func expectFits(
        _ change: ViewChange, _ before: ViewSnapshot, _ after: ViewSnapshot
    ) {
        var elements: [UInt64: String] = [:]
        for element in before.elements { elements[element.key] = "\(element)" }
        for entry in change.disappeared {
            let held = elements.removeValue(forKey: entry.from.key)
            expect(
                held == "\(entry.from)",
                "an element disappears that was not there like this: \(entry)")
        }
        for entry in change.changed {
            let held = elements.updateValue("\(entry.to)", forKey: entry.to.key)
            expect(
                held == "\(entry.from)", "an element changes that was not there like this: \(entry)"
            )
        }
        for entry in change.appeared {
            let held = elements.updateValue("\(entry.to)", forKey: entry.to.key)
            expect(held == nil, "an element appears that was there: \(entry)")
        }
        expect(
            elements.count == after.elements.count,
            "the screen has \(after.elements.count) elements, not \(elements.count): \(change)")
        for element in after.elements {
            expect(
                elements[element.key] == "\(element)",
                "the change leads to another element than the screen has: \(element)")
        }
    }

    /// Whether a client can read the update, and reads the same.
    private static func isReadable(_ update: ViewUpdate) -> Bool {
        let frame = MessageEncoder().encode(.viewUpdate(update))
        guard case .viewUpdate(let again)? = try? MessageDecoder().serverMessage(frame.body) else {
            expect(update.contentSize != nil, "the update can't be read: \(update)")
            return false
        }
        expect(
            MessageEncoder().encode(.viewUpdate(again)).plain == frame.plain,
            "the update changes when it is read and written: \(update)")
        return true
    }

    /// A text that can be compared even with NaN in it.
    private static func text(_ snapshot: ViewSnapshot) -> String { "\(snapshot)" }
}
