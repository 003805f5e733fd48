import SyncIO

extension Server {
    /// Calls `action` at intervals, as long as every loop turns. If a loop hangs, the calls stop
    /// until it turns again.
    ///
    /// Between two calls each loop has run work that was posted to it. Sleeping loops wake for it.
    /// Must be called on the first loop, when all loops have begun.
    package func pulse(
        everyMilliseconds interval: UInt64, _ action: @escaping @Sendable () -> Void
    ) {
        let loops = loops.withLock { $0 }
        let countdown = Countdown(loops.count) { [self] in
            loops[0].post { [self] first in
                action()
                first.schedule(afterMilliseconds: interval) { [self] in
                    pulse(everyMilliseconds: interval, action)
                }
            }
        }
        for handle in loops {
            handle.post { _ in countdown.count() }
        }
    }
}
