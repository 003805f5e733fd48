import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// `deploy/run` with stand-ins for the programs it calls: here it installs and builds nothing.
    @Suite struct RunScriptTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardized

        /// A built package with the script, and the stand-ins in a folder of their own.
        private func package() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            for name in [".build", "programs"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path(name), withIntermediateDirectories: true)
            }
            try FileManager.default.copyItem(
                atPath: Self.root.appending(path: "deploy").path, toPath: folder.path("deploy"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(".build/release"),
                withDestinationPath: Program.server.deletingLastPathComponent().path)
            try add("swift", "[ \"$1\" != --version ] || echo 'Swift version 6.3'", to: folder)
            return folder
        }

        private func add(_ name: String, _ script: String, to folder: TemporaryFolder) throws {
            let path = try folder.write("#!/bin/sh\n\(script)\n", to: "programs/\(name)")
            try #require(chmod(path, 0o755) == 0)
        }

        private func run(
            _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
        ) throws -> ChildProcess {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let all = environment.merging(["PATH": "\(folder.path("programs")):\(path)"]) { $1 }
            return try ChildProcess(
                URL(filePath: "/bin/bash"), [folder.path("deploy/run")] + arguments,
                environment: all)
        }

        @Test func programsAreLeftInAFolder() throws {
            let folder = try package()
            try add("dpkg-query", "printf installed", to: folder)
            let script = try run(["--prefix", folder.path("a/b")], in: folder)
            #expect(try script.wait() == .exit(0), "\(script.transcript)")
            for name in ["collsync", "collsync-cli"] {
                let program = try ChildProcess(
                    URL(filePath: folder.path("a/b/\(name)")), ["--version"])
                #expect(try program.wait() == .exit(0), "\(program.transcript)")
            }
        }

        @Test func theServerIsThatOfWhoCalledSudo() throws {
            let folder = try package()
            try add("dpkg-query", "printf installed", to: folder)
            try add("id", "echo 0", to: folder)
            // runuser -u NAME -- env HOME=… COMMAND…
            try add("runuser", "shift; echo \"$1 runs $5\"; shift 4; exec \"$@\"", to: folder)
            let script = try run(["--version"], in: folder, environment: ["SUDO_USER": "nobody"])
            #expect(try script.wait() == .exit(0), "\(script.transcript)")
            let built = try script.errors.all().filter { $0.hasPrefix("nobody runs swift") }
            #expect(built.count == 2)
            let lines = try script.output.all()
            #expect(lines.count == 2 && lines[0].hasPrefix("nobody runs /"), "\(lines)")
            #expect(lines.last?.hasPrefix("collsync ") == true, "\(lines)")
        }

        @Test func packagesAreNamedBeforeTheyAreInstalled() throws {
            let folder = try package()
            // One of the required packages is missing.
            try add(
                "dpkg-query", "case \"$*\" in *libuv1-dev) exit 1 ;; *) printf installed ;; esac",
                to: folder)
            try add("id", "echo 0", to: folder)
            try add("apt-get", "echo \"apt-get $*\" >&2", to: folder)
            let script = try run(["--version"], in: folder)
            #expect(try script.wait() == .exit(0), "\(script.transcript)")
            let text = script.transcript
            let named = try #require(text.firstRange(of: "as root: libuv1-dev"))
            let installed = try #require(text.firstRange(of: "apt-get -qq install"))
            #expect(named.upperBound <= installed.lowerBound, "\(text)")
        }
    }
}
