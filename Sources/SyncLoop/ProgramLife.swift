import Glibc
import Synchronization

/// What each of our programs does first. A library does none of it: a process belongs to its
/// program.
package enum ProgramLife {
    /// Has a write to a pipe whose reader has gone be an error, and, in debug builds, has the
    /// process stop at an exit at which a thread of ours may still run.
    ///
    /// `exit` runs the destructors of libraries, libuv's among them. A thread that uses such a
    /// library meanwhile crashes the process now and then. So each thread is joined before, on
    /// every path.
    package static func begin() {
        signal(SIGPIPE, SIG_IGN)
        #if DEBUG
            atexit {
                let count = SystemThread.unjoinedCount.load(ordering: .relaxed)
                assert(count == 0, "\(count) threads were not joined before the program's end")
            }
        #endif
    }

    /// The number of the first argument that is not UTF-8, from 1; `nil` if all are. Swift would
    /// replace its bytes, so that a room or a file of another name were used.
    package static var unreadableArgument: Int? {
        (0..<Int(CommandLine.argc)).dropFirst().first { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}

/// What a thread has the system do with signals.
enum ThreadSignals {
    /// Has a write of this thread to a closed connection be an error, whatever the process does
    /// about SIGPIPE: libuv writes with `write`, which raises it in the thread that writes.
    static func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
