import ModelSupport

/// Reads an input as a list of choices, one byte each. After its end every choice is the first one,
/// so that everything that begins also ends.
struct InputBytes {
    private var bytes: Slice<UnsafeRawBufferPointer>

    init(_ input: UnsafeRawBufferPointer) {
        bytes = input[...]
    }

    var isAtEnd: Bool { bytes.isEmpty }

    /// The remaining bytes.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes) }

    mutating func byte() -> UInt8 {
        bytes.popFirst() ?? 0
    }

    /// A number from 0 up to, but not including, `count`, which is at most 256.
    mutating func below(_ count: Int) -> Int {
        Int(byte()) % max(count, 1)
    }

    /// True for one choice in `count`, and false after the end.
    mutating func oneIn(_ count: Int) -> Bool {
        below(count) == count - 1
    }

    /// A text of so many bytes. Each byte that UTF-8 never has stands for a scalar of names that
    /// differ by their spelling only.
    mutating func text(bytes count: Int) -> String {
        let bytes = (0..<count).flatMap { _ in
            let byte = byte()
            guard byte >= 0xF8 else { return [byte] }
            let scalar = Spellings.scalars[Int(byte - 0xF8) % Spellings.scalars.count]
            return Array(Character(scalar).utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func list<Element>(
        below count: Int, _ make: (inout InputBytes) -> Element
    ) -> [Element] {
        (0..<below(count)).map { _ in make(&self) }
    }
}
