import Foundation
import Glibc

/// Kills commands at counted changes of their disk. A library, preloaded into the command, counts
/// the calls that make, write, cut, sync, rename or remove a file.
final class CountedKill {
    /// Where a command ends.
    struct Point {
        /// The change that it does not make, from 1.
        let change: Int
        /// Whether the first pages of that change get to the disk, if it is a write of several.
        let isHalfWritten: Bool
    }

    private let folder: TemporaryFolder
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        library = try folder.compileLibrary("CountedKill")
    }

    /// Runs a command of the server to its end, and returns how many changes it has made.
    func countChanges(of arguments: [String]) throws -> Int {
        let total = folder.path("total")
        let process = try ChildProcess(
            Program.server, arguments,
            environment: ["LD_PRELOAD": library, "COUNTED_KILL_TOTAL": total])
        guard try process.wait() == .exit(0),
            let count = try Int(String(contentsOfFile: total, encoding: .utf8))
        else { throw TestFailure("its changes can't be counted: \(process.transcript)") }
        return count
    }

    func run(_ arguments: [String], killedAt point: Point) throws {
        var environment = ["LD_PRELOAD": library, "COUNTED_KILL": "\(point.change)"]
        if point.isHalfWritten { environment["COUNTED_KILL_HALF"] = "1" }
        let process = try ChildProcess(Program.server, arguments, environment: environment)
        let ending = try process.wait()
        guard ending == .signal(SIGKILL) else {
            throw TestFailure("it was not killed, \(ending): \(process.transcript)")
        }
    }
}
