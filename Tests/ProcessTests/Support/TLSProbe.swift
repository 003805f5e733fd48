import Foundation

/// OpenSSL's own client.
struct TLSProbe {
    let ending: ProcessLife.Ending
    /// Its output and errors.
    let output: [String]

    /// Connects, waits for a line with this text if there is one, and ends the connection.
    static func connect(
        to port: UInt16, _ options: [String], until text: String? = nil
    ) throws -> TLSProbe {
        let process = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            ["openssl", "s_client", "-connect", "127.0.0.1:\(port)"] + options)
        while let text, let line = try process.output.next() {
            if line.contains(text) { break }
        }
        process.closeInput()
        let ending = try process.wait()
        return TLSProbe(
            ending: ending, output: try process.output.all() + process.errors.all())
    }

    func has(_ text: String) -> Bool {
        output.contains { $0.contains(text) }
    }
}
