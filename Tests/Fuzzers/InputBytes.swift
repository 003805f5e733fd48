/// Reads an input as a list of choices, a byte each. Past its end every choice is the first, so
/// that what begins always comes to its end.
struct InputBytes {
    private var bytes: Slice<UnsafeRawBufferPointer>

    init(_ input: UnsafeRawBufferPointer) {
        bytes = input[...]
    }

    var isAtEnd: Bool { bytes.isEmpty }

    /// What is left.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes) }

    mutating func byte() -> UInt8 {
        bytes.popFirst() ?? 0
    }

    /// A number from 0 up to, but not including, `count`, which is at most 256.
    mutating func below(_ count: Int) -> Int {
        Int(byte()) % max(count, 1)
    }

    /// True for one choice in `count`, and not past the end.
    mutating func oneIn(_ count: Int) -> Bool {
        below(count) == count - 1
    }

    mutating func list<Element>(
        below count: Int, _ make: (inout InputBytes) -> Element
    ) -> [Element] {
        (0..<below(count)).map { _ in make(&self) }
    }
}
