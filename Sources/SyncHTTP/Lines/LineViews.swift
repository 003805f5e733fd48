import SyncClient
import SyncModel
import SyncWire

/// The views that lines have opened, by their names.
struct LineViews {
    var table = ViewTable()
    private var numbers: [Identifier: ViewNumber] = [:]
    private var names: [ViewNumber: Identifier] = [:]

    /// About how many bytes an element takes, without its content.
    private static let bytesOfElement = 256

    var count: Int { numbers.count }

    var memoryBytes: Int {
        if numbers.isEmpty { return 0 }
        return names.keys.reduce(0) { sum, number in
            guard let screen = table.screen(of: number) else { return sum }
            return sum + screen.byteCount + screen.elementCount * LineViews.bytesOfElement
        }
    }

    func number(named name: Identifier) -> ViewNumber? { numbers[name] }

    func name(of number: ViewNumber) -> Identifier? { names[number] }

    mutating func name(_ number: ViewNumber, _ name: Identifier) {
        numbers[name] = number
        names[number] = name
    }

    /// Forgets the name of a view.
    ///
    /// - Returns: the name; `nil` if it had none.
    mutating func forget(_ number: ViewNumber) -> Identifier? {
        guard let name = names.removeValue(forKey: number) else { return nil }
        numbers[name] = nil
        return name
    }
}
