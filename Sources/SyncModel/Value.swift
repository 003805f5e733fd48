/// What a field holds: a JSON value.
///
/// Numbers are doubles, as in JavaScript, so an integer is exact within ±2^53. Text is compared byte
/// by byte. Objects keep their members sorted by name.
public enum Value: Sendable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A finite number.
    case number(Double)
    /// Text.
    case text(String)
    /// A list of values.
    case list([Value])
    /// Named values; no name stands twice.
    case object([Field])

    /// How deep lists and objects may be nested in each other.
    public static let maximumDepth = 32

    /// The magnitude of the largest integer that a number holds exactly.
    package static let largestInteger: UInt64 = 1 << 53

    /// The integers that a number holds exactly: ±2^53.
    public static let exactIntegers: ClosedRange<Double> =
        -9_007_199_254_740_992...9_007_199_254_740_992
}

extension Value: Equatable {
    /// Equal kinds and contents; text byte by byte.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

/// A named value of an item, a section or an object.
public struct Field: Sendable, Equatable {
    /// The field's name.
    public let name: Identifier
    /// What it holds.
    public let value: Value

    /// Makes a field.
    public init(name: Identifier, value: Value) {
        self.name = name
        self.value = value
    }
}

/// A width and a height in points.
public struct ListSize: Sendable, Hashable {
    /// The width in points.
    public var width: Double
    /// The height in points.
    public var height: Double

    /// Makes a size. Both numbers must be finite; content made with others is refused.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
