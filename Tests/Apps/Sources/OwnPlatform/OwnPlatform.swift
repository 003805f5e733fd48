import CollSync
import Foundation
import SyncIO

/// Edits a room on a platform of its own, plain sockets and threads, and prints it.
///
///     OwnPlatform ADDRESS
@main struct OwnPlatform: Platform {
    static func main() async throws {
        let client = try await CollectionClient.connect(
            to: CommandLine.arguments[1], platform: OwnPlatform())
        let room = try await client.join("groceries")
        try await room.submit(.insert("milk", ["title": "Milk"], at: .end(of: "main")))
        let list = CollectionList()
        for try await change in room.changes {
            try list.apply(change)
            if list["milk"] != nil { break }
        }
        print(list["milk"]?["title"] ?? "gone", list.path(of: "milk") as Any)
        client.close()
    }

    func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        let mailbox = try PlainMailbox()
        let thread = PlainThread()
        thread.start {
            let loop = PlainLoop(mailbox)
            body(loop)
            loop.run()
        }
        return thread
    }
}

/// A thread that says when it has ended.
final class PlainThread: Joinable {
    private let ended = NSCondition()
    private nonisolated(unsafe) var isEnded = false

    func start(_ body: @escaping @Sendable () -> Void) {
        Thread { [self] in
            body()
            ended.withLock { isEnded = true }
            ended.broadcast()
        }.start()
    }

    func join() {
        ended.withLock { while !isEnded { ended.wait() } }
    }
}

/// Mail, and a pipe whose bytes wake the loop.
final class PlainMailbox: Mailbox {
    private let lock = NSLock()
    private nonisolated(unsafe) var mail: [@Sendable () -> Void] = []
    let reading: Int32
    private let writing: Int32

    init() throws(IOError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .system("no pipe") }
        (reading, writing) = (ends[0], ends[1])
        // A full pipe wakes the loop as well as one more byte would.
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(reading)
        close(writing)
    }

    func post(_ work: @escaping @Sendable () -> Void) {
        lock.withLock { mail.append(work) }
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    func take() -> [@Sendable () -> Void] {
        lock.withLock {
            defer { mail = [] }
            return mail
        }
    }
}
