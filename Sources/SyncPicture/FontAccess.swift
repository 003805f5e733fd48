import Synchronization

/// Lets one thread at a time use fonts.
///
/// cairo and fontconfig keep the fonts of all threads in common tables. cairo 1.16 can find a font
/// there that another thread is about to free, and then it ends the process.
enum FontAccess {
    private static let mutex = Mutex<Void>(())

    /// Does work with fonts. It must not call this again.
    static func exclusively<Result>(_ work: () -> Result) -> Result {
        mutex.withLock { _ in work() }
    }
}
