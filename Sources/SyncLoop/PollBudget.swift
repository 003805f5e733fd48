/// What a turn may do for connections that the system names as ready. Behind so much it ends,
/// though more are ready.
///
/// Reading and writing have parts of their own: however many connections take at last what they had
/// not taken, those that say something are heard.
struct PollBudget {
    /// A turn reads or accepts so many connections.
    static let readsPerTurn = 256
    /// One that has ended takes little: a fraction of what one takes that is read.
    private static let endsPerRead = 4
    /// When so many bytes were read, the others of that turn are read a little each: so however
    /// much they have sent, a turn copies a bounded amount.
    private static let bytesReadAtMost = 1 << 20
    private static let littleBytes = 4096
    /// A turn writes so much of what was left of writes, and each write counts as some bytes more.
    private static let bytesWrittenPerTurn = 2 << 20
    private static let bytesOfWrite = 8192

    private var endsOrReads = 0
    private var bytesRead = 0
    private var bytesWritten = 0

    var mayRead: Bool { endsOrReads < PollBudget.readsPerTurn * PollBudget.endsPerRead }
    var mayWrite: Bool { bytesWritten < PollBudget.bytesWrittenPerTurn }

    /// How much the next read may take.
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
