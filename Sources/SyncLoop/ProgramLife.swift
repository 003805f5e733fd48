import Glibc
import Synchronization

/// What each of our programs does first. A library does none of it, because a program decides about
/// its process.
package enum ProgramLife {
    /// Makes a write to a pipe without a reader fail with an error instead of ending the process.
    /// In debug builds, an exit before all our threads are joined is a crash.
    ///
    /// `exit` runs the destructors of libraries, libuv's among them. A thread that still uses such
    /// a library may then crash the process. So every path joins all threads before it exits.
    package static func begin() {
        signal(SIGPIPE, SIG_IGN)
        occupyClosedDescriptors()
        #if DEBUG
            atexit {
                let count = SystemThread.unjoinedCount.load(ordering: .relaxed)
                assert(count == 0, "\(count) threads were not joined before the program's end")
            }
        #endif
    }

    /// Takes the numbers of standard input, output and errors, if the caller has closed them. If
    /// not, a connection would get such a number, and what is printed would go there; and libuv
    /// aborts when it closes one of them. To read or write them still fails.
    private static func occupyClosedDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // A new descriptor has the lowest number that is free.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The number of the first argument that is not UTF-8, from 1; `nil` if all are. Swift replaces
    /// invalid bytes, so the program would use a room or a file of another name.
    package static var unreadableArgument: Int? {
        (0..<Int(CommandLine.argc)).dropFirst().first { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}

/// A thread's settings for signals.
enum ThreadSignals {
    /// Makes this thread's writes to closed connections fail with an error, whatever the process
    /// does about SIGPIPE. Libuv uses `write`, which raises that signal in the writing thread.
    static func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
