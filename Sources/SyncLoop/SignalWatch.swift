import SyncIO

/// Watches for signals to the process, with a loop and a thread of its own.
package final class SignalWatch: Sendable {
    private let loop: LoopReference
    private let mailbox: any Mailbox
    private let thread: any Joinable

    init(_ loop: LoopReference, mailbox: any Mailbox, thread: any Joinable) {
        self.loop = loop
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Ends the watch and waits until its thread has ended. It must not be called from the action.
    package func finish() {
        // A mailbox whose loop has ended drops what is posted.
        mailbox.post { [loop] in loop.value.stop() }
        thread.join()
    }
}

/// Carries a loop to another thread.
struct LoopReference: @unchecked Sendable {
    // Sendable: the loop is used only in work that is posted to it.
    let value: UVLoop

    init(_ value: UVLoop) {
        self.value = value
    }
}
