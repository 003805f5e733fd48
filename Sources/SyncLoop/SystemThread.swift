import CUV
import Glibc
import SyncIO
import Synchronization

/// A system thread that runs one function. Any number of threads may wait for its end.
final class SystemThread: Joinable {
    private enum State {
        case running, beingJoined, joined
    }

    /// How many threads of the process are not joined yet.
    static let unjoinedCount = Atomic(0)

    private let identifier: pthread_t
    private let state = Monitor(State.running)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: for debuggers and `top`; the system keeps its first 15 bytes.
    ///   - body: is called on the thread; what it captures belongs to the thread from then on.
    init(named name: String, _ body: @escaping () -> Void) throws(IOError) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var identifier = pthread_t()
        let status = pthread_create(&identifier, nil, runThread, start.toOpaque())
        guard status == 0 else {
            start.release()
            throw .system("cannot start the thread \(name): \(describe(systemError: status))")
        }
        self.identifier = identifier
        SystemThread.unjoinedCount.add(1, ordering: .relaxed)
    }

    deinit {
        // Nobody will wait any more, so the system may forget the thread by itself.
        if state.withLock({ $0 == .running }) { pthread_detach(identifier) }
    }

    /// Lowers the calling thread's priority. If it competes with another thread for a core, it gets
    /// a third of the time that the other gets.
    static func lowerPriority() {
        // On Linux each thread has a priority of its own; each of the five steps takes a fifth of
        // its time away.
        let ofThread = __priority_which_t(PRIO_PROCESS.rawValue)
        setpriority(ofThread, 0, getpriority(ofThread, 0) + 5)
    }

    func join() {
        let isFirst = state.wait { state -> Bool? in
            switch state {
            case .running:
                state = .beingJoined
                return true
            case .beingJoined: return nil
            case .joined: return false
            }
        }
        guard isFirst else { return }
        pthread_join(identifier, nil)
        SystemThread.unjoinedCount.subtract(1, ordering: .relaxed)
        state.withLock { $0 = .joined }
        state.notify()
    }
}

/// What a new thread needs: its name and its function.
private final class ThreadStart {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    collsync_name_thread(start.name)
    start.body()
    return nil
}
