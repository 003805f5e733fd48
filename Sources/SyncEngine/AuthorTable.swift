/// Who has written in a room, by number, with the last base each has used.
struct AuthorTable {
    /// By number, from 1 on.
    private(set) var ids: [Identifier] = []
    /// By number; number 0 is nobody.
    private var lastBases: [Revision] = [0]
    private var numbers: [Identifier: AuthorID] = [:]

    var count: Int { ids.count }

    mutating func number(of id: Identifier) -> AuthorID {
        if let number = numbers[id] { return number }
        ids.append(id)
        lastBases.append(0)
        numbers[id] = AuthorID(ids.count)
        return AuthorID(ids.count)
    }

    subscript(lastBase author: AuthorID) -> Revision {
        get { lastBases[Int(author)] }
        set { lastBases[Int(author)] = newValue }
    }
}
