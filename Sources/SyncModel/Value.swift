import SyncBytes

/// What a field holds: a JSON value.
///
///     let price: Value = ["amount": 1.99, "currency": "EUR", "tags": ["new", "organic"]]
///     print(price["amount"]?.asNumber ?? 0, price["tags"]?.asList?.count ?? 0)
///
/// Numbers are doubles, as in JavaScript, so integers are exact within ±2^53. Text is compared byte
/// by byte. The members of an object are sorted by name. What is made here is checked when it
/// becomes part of an item or a section.
public enum Value: Sendable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, which must be finite: others are refused wherever they are put.
    case number(Double)
    /// Text.
    case text(String)
    /// A list of values, in order.
    case list([Value])
    /// Members, sorted by name, each name once.
    case object([Field])

    /// How many lists and objects may be nested within each other.
    public static let maximumDepth = 32

    /// The magnitude of the largest integer that a number holds exactly.
    package static let largestInteger: UInt64 = 1 << 53

    /// The integers that a number holds exactly: ±2^53.
    public static let exactIntegers: ClosedRange<Double> =
        -9_007_199_254_740_992...9_007_199_254_740_992
}

extension Value: Hashable {
    /// Whether both have the same kind and content. Text is compared byte by byte, numbers as
    /// doubles: -0 equals 0.
    ///
    /// # Performance
    /// O(n) for n bytes of content.
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

    /// Hashes the content, as `==` compares it. O(n) for n bytes of content.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .number(let number): hasher.combine(number)
        case .text(let text): text.withBytes { hasher.combine(bytes: $0) }
        case .list(let values): hasher.combine(values)
        case .object(let fields): hasher.combine(fields)
        }
    }
}

/// A named value of an item, a section or an object.
public struct Field: Sendable, Hashable {
    /// The field's name.
    public let name: Identifier
    /// Its value.
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

    /// Makes a size. Both lengths must be finite: making content with others throws
    /// ``ModelError/badNumber``.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
