import SyncBytes

/// The name of a member: one that is known, or one in a text. Names are compared byte by byte where
/// they are: a line has many keys, and to make `String`s of them takes long.
struct JSONName: ExpressibleByStringLiteral, Equatable {
    private let bytes: UnsafeRawBufferPointer

    /// A name in a text, which must outlive it.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// A name that is known: a literal in the program.
    init(_ name: StaticString) {
        bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }

    init(stringLiteral name: StaticString) {
        self.init(name)
    }

    static func == (left: JSONName, right: JSONName) -> Bool {
        left.bytes.count == right.bytes.count && left.bytes.hasSameBytes(as: right.bytes)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The keys that an object may have.
typealias JSONKeys = CaseIterable & RawRepresentable<JSONName>

extension CaseIterable where Self: RawRepresentable<JSONName> {
    /// All names, in the order of the cases.
    static var names: [JSONName] { allCases.map(\.rawValue) }
}
