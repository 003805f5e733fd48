import Glibc

/// The folder of temporary files, if the command line names none: TMPDIR or /tmp.
var usualSpool: String {
    guard let folder = getenv("TMPDIR"), folder.pointee != 0 else { return "/tmp" }
    return String(cString: folder)
}
