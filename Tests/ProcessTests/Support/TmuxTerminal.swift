import Foundation
import Glibc

/// A terminal with a shell, as a person uses it: tmux is the terminal. Its tmux server ends with
/// this object.
final class TmuxTerminal {
    private let folder: TemporaryFolder

    init(columns: Int, rows: Int) throws {
        folder = try TemporaryFolder()
        try run([
            "-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
            "env PS1='$ ' LC_ALL=C.UTF-8 sh",
        ])
        try read(until: "the prompt") { $0.first?.hasPrefix("$") == true }
    }

    deinit {
        _ = try? run(["kill-server"])
    }

    /// A path for a file that is removed with the terminal.
    func path(_ name: String) -> String { folder.path(name) }

    // MARK: The screen

    /// The lines on the screen, without trailing blanks.
    var screen: [String] {
        get throws { try run(["capture-pane", "-p"]) }
    }

    /// Waits until the screen meets a condition.
    @discardableResult
    func read(
        until what: String, within seconds: Double = Deadline.usual,
        _ holds: ([String]) throws -> Bool
    ) throws -> [String] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let screen = try screen
            if try holds(screen) { return screen }
            guard Date() < deadline else {
                throw TestFailure(
                    "waiting for \(what), the screen shows:\n\(screen.joined(separator: "\n"))")
            }
            usleep(30_000)
        }
    }

    // MARK: The keyboard and the window

    /// Presses keys, by tmux's names for them.
    func press(_ keys: String...) throws {
        try run(["send-keys"] + keys)
    }

    /// Types a line.
    func type(_ line: String) throws {
        try run(["send-keys", "-l", line])
        try press("Enter")
    }

    func resize(columns: Int, rows: Int) throws {
        try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> [String] {
        let tmux = try ChildProcess(
            URL(filePath: "/usr/bin/env"), ["tmux", "-S", folder.path("socket")] + arguments,
            environment: ["TMUX": "", "LC_ALL": "C.UTF-8"])
        guard try tmux.wait() == .exit(0) else { throw TestFailure("failed: \(tmux.transcript)") }
        return try tmux.output.all()
    }
}
