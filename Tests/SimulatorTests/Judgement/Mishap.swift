/// What really went wrong in a run: a fault without an effect does not count.
enum Mishap: String, CaseIterable {
    case serverKilled = "the server killed"
    case serverPowerless = "the server without power"
    case serverEnded = "the server told to end"
    case clientKilled = "a client killed"
    case clientPowerless = "a client without power"
    /// An entry was written and not synced when the power was lost.
    case entryLost = "an entry lost with the power"
    case connectionCut = "a connection cut, as both sides hear"
    case halfOpen = "a connection cut, as not both sides hear"
    case partition = "a machine cut off for a while"
    case readerStopped = "a reader that stops"
    case roomRefused = "a disk without room"
    case syncFailed = "a sync that fails"
    case roomDeleted = "a room deleted by somebody"
    /// The server had something that the copy does not have.
    case storePutBack = "a store put back to a copy"
    case memoryLost = "a server that keeps nothing started again"
    case readFailed = "a read that fails"
    case keysUpdated = "keys of a secured connection updated"
    case requestRepeated = "a transaction over HTTP sent again by its key"
    case streamResumed = "a stream of events resumed"
    case webSocketReplaced = "a WebSocket in the place of a lost one"
}
