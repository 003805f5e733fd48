/// A queue of bytes.
struct ByteQueue {
    private var storage: [UInt8] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        storage.append(contentsOf: bytes)
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        let taken = storage[head..<head + count]
        head += count
        // Moving the rest only when it is smaller than the removed part keeps `take` at amortized
        // O(1) for each byte.
        if head > storage.count / 2 {
            storage = Array(storage[head...])
            head = 0
        }
        return taken
    }

    mutating func removeAll() {
        self = ByteQueue()
    }
}
