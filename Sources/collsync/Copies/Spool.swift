import Glibc
import SyncLoop
import SyncStore

/// The folder of temporary files, if the command line names none: TMPDIR or /tmp.
var usualSpool: String {
    guard let folder = getenv("TMPDIR"), folder.pointee != 0 else { return "/tmp" }
    return String(cString: folder)
}

/// Calls `body` with a temporary folder that is removed if SIGINT or SIGTERM ends the program.
func withSpoolFolder<Result>(
    _ body: (SpoolFolder) throws(StoreError) -> Result
) throws(StoreError) -> Result {
    let folder = SpoolFolder()
    let watch: SignalWatch
    do {
        watch = try LoopPlatform().watch([.interrupt, .terminate], named: "signals") { signal, _ in
            folder.remove()
            signal.endProcess()
        }
    } catch {
        throw .io("signals can't be watched for: \(error)")
    }
    defer { watch.finish() }
    return try body(folder)
}
