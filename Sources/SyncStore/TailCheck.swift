/// Whether a database has all the commits that the file beside it (``TailFile``) has seen.
package enum TailCheck: Sendable, Equatable {
    /// The database has them all.
    case reached
    /// There is no file, so nothing is known.
    case missing
    /// The file is torn or damaged, so nothing is known.
    case unreadable
    /// The last commits are lost: the database ends with one number, the file says the other.
    case lost(database: UInt64, file: UInt64)

    /// Compares a database that ends with commit `number` with what the file says.
    init(database number: UInt64, file: TailFile.Reading) {
        switch file {
        case .number(let seen) where seen > number: self = .lost(database: number, file: seen)
        case .number: self = .reached
        // A store without commits has nothing to lose.
        case .missing: self = number == 0 ? .reached : .missing
        case .unreadable: self = .unreadable
        }
    }

    /// What is wrong, or can't be known; `nil` if all is well.
    package var description: String? {
        switch self {
        case .reached: nil
        case .missing: "there is no file \(TailFile.name), so a lost end would not be noticed"
        case .unreadable:
            "the file \(TailFile.name) can't be read, so a lost end would not be noticed"
        case .lost(let database, let file):
            "its end is lost: \(TailFile.name) has seen commit \(file), but the database ends with"
                + " commit \(database), so \(file - database) are missing"
        }
    }
}
