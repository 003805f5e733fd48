import ArgumentParser
import Glibc
import SyncStore

/// The exit codes of sysexits that the program uses.
extension ExitCode {
    static let usage = ExitCode(64)
    static let badData = ExitCode(65)
    static let noInput = ExitCode(66)
    static let unavailable = ExitCode(69)
    static let internalError = ExitCode(70)
    static let inputOutput = ExitCode(74)
    static let tryAgain = ExitCode(75)

    /// What a store that can't be opened means for who started the program.
    init(_ error: StoreError) {
        switch error {
        case .locked: self = .tryAgain
        case .corrupt, .newerVersion: self = .badData
        case .notAStore: self = .noInput
        case .diskFull, .io: self = .inputOutput
        case .noSuchRoom, .compacted, .conflict, .closed: self = .internalError
        }
    }
}

/// Ends the program with a line for people and a code for programs.
func fail(_ line: String, _ code: ExitCode) -> ExitCode {
    writeError("collsync: \(line)")
    return code
}

/// Writes a line to standard error, at once.
func writeError(_ line: String) {
    write(line, to: STDERR_FILENO)
}

/// Writes a line to standard output, at once.
func writeOutput(_ line: String) {
    write(line, to: STDOUT_FILENO)
}

private func write(_ line: String, to descriptor: Int32) {
    var text = line + "\n"
    text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while let base = rest.baseAddress, rest.count > 0 {
            let count = Glibc.write(descriptor, base, rest.count)
            if count < 0, errno == EINTR { continue }
            // A line that nobody takes is no reason to stop serving.
            guard count > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}
