/// Limits what a turn does for connections that are ready. A turn whose budget is used up ends,
/// even if more connections are ready.
///
/// Reading and writing have separate budgets. So input is read however many pending writes can go
/// on.
struct PollBudget {
    /// How many connections a turn reads or accepts at most.
    static let readsPerTurn = 256
    /// To end a connection is cheaper than to read one: so many ends count as one read.
    private static let endsPerRead = 4
    /// After so many bytes, each further read of the turn takes at most `littleBytes`. So a turn
    /// copies a bounded amount, however much the connections have sent.
    private static let bytesReadAtMost = 1 << 20
    private static let littleBytes = 4096
    /// How many bytes of pending writes a turn writes. Each write counts as `bytesOfWrite` more,
    /// for its system call.
    private static let bytesWrittenPerTurn = 2 << 20
    private static let bytesOfWrite = 8192

    private var endsOrReads = 0
    private var bytesRead = 0
    private var bytesWritten = 0

    var mayRead: Bool { endsOrReads < PollBudget.readsPerTurn * PollBudget.endsPerRead }
    var mayWrite: Bool { bytesWritten < PollBudget.bytesWrittenPerTurn }

    /// How many bytes the next read may take.
    var nextReadBytes: Int {
        bytesRead < PollBudget.bytesReadAtMost ? UVLoop.readBufferBytes : PollBudget.littleBytes
    }

    mutating func accept() { endsOrReads += PollBudget.endsPerRead }

    mutating func read(_ bytes: Int) {
        endsOrReads += PollBudget.endsPerRead
        bytesRead &+= bytes
    }

    mutating func end() { endsOrReads += 1 }

    mutating func write(_ bytes: Int) { bytesWritten &+= bytes + PollBudget.bytesOfWrite }
}
