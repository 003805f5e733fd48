import Foundation

/// The load generator wrk, which sends a request on each connection when the one before is
/// answered.
struct Wrk {
    let connections: Int
    private let script: String

    static let package = "Debian wrk"

    static var isThere: Bool {
        (try? TraceBenchmark.run("env", ["sh", "-c", "command -v wrk"])) != nil
    }

    /// - Parameters:
    ///   - folder: for the script.
    ///   - items: how many items the room has. Each request sets the title of one.
    init(connections: Int, items: Int, folder: String) throws {
        self.connections = connections
        script = "\(folder)/post.lua"
        let text = """
            wrk.method = "POST"
            wrk.headers["Content-Type"] = "application/json"
            local number = 0
            local title = "title number %d, a long one"
            local body = '{"ops":[{"update":{"id":"i%d","set":{"title":"' .. title .. '"}}}]}'
            request = function()
                number = number + 1
                return wrk.format(nil, nil, nil, body:format(number * 7919 % \(items), number))
            end
            """
        try text.write(toFile: script, atomically: true, encoding: .utf8)
    }

    /// How many requests a second are answered, each with a status of success.
    func requestsPerSecond(port: UInt16, path: String, seconds: Int) throws -> Double {
        let data = try TraceBenchmark.run(
            "wrk",
            [
                "-t1", "-c\(connections)", "-d\(seconds)s", "-s", script,
                "http://127.0.0.1:\(port)\(path)",
            ])
        let output = String(decoding: data, as: UTF8.self)
        guard !output.contains("Non-2xx"), !output.contains("Socket errors"),
            let match = output.firstMatch(of: /Requests\/sec:\s+([0-9.]+)/),
            let rate = Double(match.1)
        else { throw BenchError("wrk says: \(output)") }
        return rate
    }
}
