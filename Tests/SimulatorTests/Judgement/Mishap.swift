/// What went wrong in a run, once it really had: a fault that comes to nothing is none of them.
enum Mishap: String, CaseIterable {
    case serverKilled = "the server killed"
    case serverPowerless = "the server without power"
    case serverEnded = "the server told to end"
    case clientKilled = "a client killed"
    case clientPowerless = "a client without power"
    /// Among what was written and not synced, in a loss of power.
    case entryLost = "an entry lost with the power"
    case connectionCut = "a connection cut, as both sides hear"
    case halfOpen = "a connection cut, as not both sides hear"
    case partition = "a machine cut off for a while"
    case readerStopped = "a reader that stops"
    case roomRefused = "a disk without room"
    case syncFailed = "a sync that fails"
    case roomDeleted = "a room deleted by somebody"
    /// With what it had that the copy has not.
    case storePutBack = "a store put back to a copy"
    case memoryLost = "a server that keeps nothing started again"
    case readFailed = "a read that fails"
}
