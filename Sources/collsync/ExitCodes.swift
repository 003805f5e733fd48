import ArgumentParser
import Glibc
import SyncStore
import SyncTerminal

/// The exit codes of sysexits that the program uses.
extension ExitCode {
    static let usage = ExitCode(64)
    static let badData = ExitCode(65)
    static let noInput = ExitCode(66)
    static let unavailable = ExitCode(69)
    static let internalError = ExitCode(70)
    static let cantCreate = ExitCode(73)
    static let inputOutput = ExitCode(74)
    static let tryAgain = ExitCode(75)
    static let configuration = ExitCode(78)

    /// The exit code for what a store could not do.
    init(_ error: StoreError) {
        switch error {
        case .locked: self = .tryAgain
        case .corrupt, .badCopy, .tooLarge, .newerVersion, .olderVersion: self = .badData
        case .notAStore: self = .noInput
        case .diskFull, .io, .notWritable: self = .inputOutput
        case .roomExists: self = .cantCreate
        case .noSuchRoom, .compacted: self = .noInput
        case .conflict, .closed: self = .internalError
        }
    }
}

/// Ends the program with a line for people and a code for programs.
func fail(_ line: TerminalText, _ code: ExitCode) -> ExitCode {
    writeError("collsync: \(line)")
    return code
}

/// Writes a line to standard error. If nobody reads the pipe, the program still ends.
func writeError(_ line: TerminalText) {
    write(line, to: STDERR_FILENO, waitingMilliseconds: 1000)
}

/// Writes a line to standard output.
///
/// - Parameter limit: how long to wait until a reader takes it; `nil` for ever.
func writeOutput(_ line: TerminalText, waitingMilliseconds limit: UInt64? = nil) {
    write(line, to: STDOUT_FILENO, waitingMilliseconds: limit)
}

private func write(_ line: TerminalText, to descriptor: Int32, waitingMilliseconds limit: UInt64?) {
    let deadline = limit.map { DescriptorWriter.nowMilliseconds + $0 }
    DescriptorWriter.write(Array((line.text + "\n").utf8), to: descriptor) { deadline }
}
