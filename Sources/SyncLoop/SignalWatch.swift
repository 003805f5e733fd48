import SyncIO

/// A watch on signals of the process, which has a loop and a thread of its own.
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

/// A loop on its way to its thread.
struct LoopReference: @unchecked Sendable {
    // Sendable: the loop is used only in what is posted to it.
    let value: UVLoop

    init(_ value: UVLoop) {
        self.value = value
    }
}
