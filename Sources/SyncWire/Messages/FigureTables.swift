/// The figures of a room.
public enum RoomFigure: String, FigureTable {
    /// The names of all figures, in their order.
    public static let names = allCases.map(\.name)

    case sections = "how many sections it has"
    case items = "how many items it has"
    case deadNodes = "how many places of what is gone it remembers"
    case members = "how many members it has"
    case memoryBytes = "bytes that it takes in memory"
    case storedBytes = "bytes that its log and its snapshots take in the store"
    case memoryLimit = "the most bytes that it may take in memory; 0: no limit"
    case storedLimit = "the most bytes that it may take in the store; 0: no limit"
    case sectionLimit = "the most sections that it may have"
    case itemLimit = "the most items that it may have"
    case memberLimit = "the most members that it may have; 0: no limit"
    case recentTransactions =
        "transactions written in the last second; 0 if that has no limit"
    case recentTransactionLimit = "the most transactions a second; 0: no limit"
    case recentLogBytes = "bytes of log written in the last second; 0 if that has no limit"
    case recentLogByteLimit = "the most bytes of log a second; 0: no limit"
}

/// The figures of who asks: the user that the connection has signed in as, or else its address. All
/// are missing if an address is trusted and so has no limits.
public enum AccountFigure: String, FigureTable {
    /// The names of all figures, in their order.
    public static let names = allCases.map(\.name)

    case connections = "how many connections it has"
    case connectionLimit = "the most connections that it may have"
    case rooms = "how many rooms its connections are in"
    case roomLimit = "the most rooms that they may be in"
    case memoryBytes = "bytes of the server's memory that count for it, with its parts of rooms"
    case writtenBytes = "bytes on disk that count for it, written since the server started"
    case recentTransactions =
        "transactions that it wrote in the last second; 0 if that has no limit"
    case recentTransactionLimit = "the most transactions that it may write a second; 0: no limit"
    case recentLogBytes =
        "bytes of transactions that it wrote in the last second; 0 if that has no limit"
    case recentLogByteLimit =
        "the most bytes of transactions that it may write a second; 0: no limit"
}

/// The figures of a server. What is counted is counted since it started.
public enum ServerFigure: String, FigureTable {
    /// The names of all figures, in their order.
    public static let names = allCases.map(\.name)

    case connectionBytes = "bytes of incomplete frames, of input that waits, and of output"
    case queueBytes =
        "bytes of transactions, records, answers and batches that are under way in rooms"
    case roomBytes = "bytes of rooms: content, what they remember of the past, authors"
    case viewBytes = "bytes of layouts, and of what is on the screens of views"
    case presenceBytes = "bytes of what members show each other, and drag"
    case storeBytes = "bytes of snapshots on their way to the store"
    case readBytes = "bytes of answers that were not taken yet, and of rooms replayed for them"
    case memoryLimit = "the most bytes that these seven may come to; 0: no limit"
    case pressure =
        "how near that is: 0 far, 1 caches are dropped, 2 only deletes are taken, 3 nothing is taken"
    case connections = "how many connections there are"
    case openRooms = "how many rooms are open"
    case turns = "how many turns the loops took"
    case fullTurns = "how many of them left work for the next one"
    case largestTurn = "the most steps of work that one of them took"
    case loans = "how often a worker had a room's state, for work that takes more than a turn has"
    case holds = "how often a loop was held for longer than --slow allows"
    case droppedLogLines = "lines of the log that nobody read, or that were like many others"
    case diskBytes = "bytes that the store has on disk"
    case diskLimit = "the most bytes that it may have there; 0: no limit"
    case connectionLimit = "the most connections that there may be"
    case openRoomLimit = "the most rooms that may be open"
    case recentTransactions =
        "transactions written to all rooms in the last second; 0 if that has no limit"
    case recentTransactionLimit = "the most transactions a second in all rooms; 0: no limit"
    case recentLogBytes =
        "bytes of log written to all rooms in the last second; 0 if that has no limit"
    case recentLogByteLimit = "the most bytes of log a second in all rooms; 0: no limit"
}
