import Foundation
import Testing

extension ProcessTests {
    /// Programs outside of this package that depend on it by its path are built and run.
    @Suite(.serialized) struct OutsideAppTests {
        /// Libraries that other parts of the package need and a program of the core must not link.
        private static let foreign = ["libuv", "libcairo", "libsqlite3"]

        @Test func anAppShowsARoom() throws {
            let app = try Apps.program("Groceries")
            let server = try ServerProcess()
            let groceries = try ChildProcess(app, [server.address])
            let other = try JoinProcess("other", room: "groceries", at: server.address)
            try other.read(untilRevision: 1)
            try other.submit([["update": ["id": "milk", "set": ["done": true]]]])
            try other.readUntilAnswered()
            let lines = try groceries.output.all()
            #expect(try groceries.wait() == .exit(0), "\(groceries.transcript)")
            #expect(lines.last?.hasPrefix("Milk Optional(") == true, "\(lines)")
        }

        /// Any program can implement the platform that a client needs.
        @Test func anAppBringsAPlatformOfItsOwn() throws {
            let app = try Apps.program("OwnPlatform")
            let server = try ServerProcess()
            let groceries = try ChildProcess(app, [server.address])
            let lines = try groceries.output.all()
            #expect(try groceries.wait() == .exit(0), "\(groceries.transcript)")
            #expect(lines.last?.hasPrefix("Milk Optional(") == true, "\(lines)")
            let linker = try ChildProcess(URL(filePath: "/usr/bin/env"), ["ldd", app.path])
            #expect(try !linker.output.all().joined().contains("libuv"))
        }

        /// If a system lacks the functions that `CMemory` uses, plain C replaces them.
        @Test func memoryHasAPlainFallback() throws {
            let folder = try TemporaryFolder()
            let compiler = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                [
                    "clang", "-DCOLLSYNC_PLAIN_MEMORY", "-Wall", "-Werror",
                    "-Wno-nullability-extension",
                    "-I\(Apps.folder.path)/../../Sources/CMemory", "-o", folder.path("plain"),
                    "\(Apps.folder.path)/plain-memory.c",
                ])
            #expect(try compiler.wait() == .exit(0), "\(compiler.transcript)")
            let plain = try ChildProcess(URL(filePath: folder.path("plain")), [])
            #expect(try plain.wait() == .exit(0), "\(plain.transcript)")
        }

        /// The core makes no connections, so it links none of the libraries for them.
        @Test func theCoreStandsAlone() throws {
            let app = try Apps.program("Core")
            let core = try ChildProcess(app, [])
            let lines = try core.output.all()
            #expect(try core.wait() == .exit(0), "\(core.transcript)")
            #expect(lines.first?.hasPrefix("Eggs Optional(") == true, "\(lines)")
            #expect(lines.last == "reload 1, update 1, insert [[0, 0]], done 2")
            let linker = try ChildProcess(URL(filePath: "/usr/bin/env"), ["ldd", app.path])
            let linked = try linker.output.all().joined()
            #expect(try linker.wait() == .exit(0))
            #expect(linked.contains("libz."))
            for library in Self.foreign {
                #expect(!linked.contains(library), "\(library) is linked")
            }
            let reader = try ChildProcess(
                URL(filePath: "/usr/bin/env"), ["nm", "-D", "--undefined-only", app.path])
            let symbols = try reader.output.all().compactMap { $0.split(separator: " ").last }
            #expect(try reader.wait() == .exit(0))
            #expect(symbols.contains { $0.hasPrefix("inflate") }, "zlib is linked")
            for prefix in ["uv_", "cairo_", "sqlite3_"] {
                #expect(symbols.filter { $0.hasPrefix(prefix) } == [])
            }
        }
    }
}

/// The programs in `Tests/Apps`.
enum Apps {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Apps").standardized

    /// The folder of the built programs, which are built once for all tests.
    private static let built = Result { try build() }

    /// The path of a program.
    static func program(_ name: String) throws -> URL {
        try built.get().appending(path: "debug/\(name)")
    }

    private static func build() throws -> URL {
        let scratch = try Program.server.deletingLastPathComponent().appending(path: "apps")
        let options = ProcessInfo.processInfo.environment["COLLSYNC_BUILD"] ?? ""
        let swift = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            [
                "swift", "build", "--package-path", folder.path, "--scratch-path", scratch.path,
            ] + options.split(separator: " ").map(String.init))
        guard try swift.wait(within: 900) == .exit(0) else {
            throw TestFailure("the programs outside do not build: \(swift.transcript)")
        }
        return scratch
    }
}
