import Foundation
import Glibc

/// The programs that were built with this test, in the same folder.
enum Program {
    static var server: URL { get throws { try named("collsync") } }
    static var client: URL { get throws { try named("collsync-cli") } }
    static var fuzzer: URL { get throws { try named("collsync-fuzz") } }

    /// Whether they were built with a sanitizer, and so are slow and use much more memory.
    static var isSanitized: Bool {
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    }

    private static func named(_ name: String) throws -> URL {
        let test = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = test.deletingLastPathComponent().appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw TestFailure(
                "there is no \(program.path); build it with: swift build --build-tests")
        }
        return program
    }
}

/// A folder of a test, which is removed with this object.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "collsync-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appending(path: name).path
    }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let path = path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}
