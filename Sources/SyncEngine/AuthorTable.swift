/// Who has written in a room, by number, with the last base each has used.
struct AuthorTable {
    struct Record {
        var id: Identifier
        var lastBase: Revision = 0
    }

    /// Number 0 is nobody and has no record of its own.
    private(set) var records: [Record?] = [nil]
    private var numbers: [Identifier: AuthorID] = [:]

    var count: Int { records.count - 1 }

    mutating func number(of id: Identifier) -> AuthorID {
        if let number = numbers[id] { return number }
        records.append(Record(id: id))
        numbers[id] = AuthorID(records.count - 1)
        return AuthorID(records.count - 1)
    }

    subscript(lastBase author: AuthorID) -> Revision {
        get { records[Int(author)]?.lastBase ?? 0 }
        set { records[Int(author)]?.lastBase = newValue }
    }
}
