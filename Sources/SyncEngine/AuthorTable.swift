/// Who has written in a room, by number, with the last base each has used.
struct AuthorTable: ~Copyable {
    /// By number, from 1 on.
    private(set) var ids: [Identifier] = []
    /// By number; number 0 is nobody.
    private var lastBases = Stack<Revision>()
    private var numbers: [Identifier: AuthorID] = [:]

    init() {
        lastBases.append(0)
    }

    var count: Int { ids.count }

    /// The memory it takes, with ids of a usual length.
    var byteCount: Int {
        lastBases.byteCount + 2 * ids.capacity * (MemoryLayout<Identifier>.stride + 32)
    }

    mutating func number(of id: Identifier) -> AuthorID {
        if let number = numbers[id] { return number }
        ids.append(id)
        lastBases.append(0)
        numbers[id] = AuthorID(ids.count)
        return AuthorID(ids.count)
    }

    /// Forgets the author that was entered last, who has nothing here.
    mutating func removeLast() {
        numbers[ids.removeLast()] = nil
        _ = lastBases.popLast()
    }

    subscript(lastBase author: AuthorID) -> Revision {
        @inline(__always) get { lastBases[Int(author)] }
        @inline(__always) set { lastBases[Int(author)] = newValue }
    }
}
