import Testing

extension ProcessTests {
    /// Clients for the web that nobody here wrote, and the rules that they rely on.
    @Suite struct WebClientTests {
        /// Each rule of RFC 6455 that concerns a server, by bytes that keep it or break it, in both
        /// subprotocols. `Tests/WebClients/rules.py` has the table.
        @Test func webSocketsKeepTheRules() throws {
            let server = try ServerProcess(speaksHTTP: true)
            let classes = try PythonClasses(with: ["websockets"])
            let rules = try classes.start(
                "rules.py", in: "WebClients", ["\(try #require(server.httpPort))"])
            #expect(try rules.wait() == .exit(0), "\(rules.transcript)")
            #expect(try server.terminate() == .exit(0), "\(server.transcript)")
        }

        /// The routes, server-sent events and WebSockets by the libraries websockets and aiohttp.
        @Test func librariesUseIt() throws {
            let server = try ServerProcess(speaksHTTP: true)
            let classes = try PythonClasses(with: ["websockets", "aiohttp"])
            let libraries = try classes.start(
                "libraries.py", in: "WebClients",
                ["http://127.0.0.1:\(try #require(server.httpPort))"])
            #expect(try libraries.wait() == .exit(0), "\(libraries.transcript)")
            #expect(try server.terminate() == .exit(0), "\(server.transcript)")
        }

        private static let browser = ["chromium-headless-shell", "chromium"].compactMap {
            ProcessTests.path(of: $0)
        }.first

        /// A page in Chromium, and one of another origin. The server is killed while the first page
        /// reads events, and the browser goes on by itself. Only Debian has the package.
        @Test(.enabled(if: browser != nil)) func aBrowserUsesIt() throws {
            let pages = try PythonClasses().start(
                "browser.py", in: "WebClients", [try #require(Self.browser)])
            let port = try #require(try pages.output.next(), "\(pages.transcript)")
            let server = try ServerProcess(
                ["--http-origin", "http://127.0.0.1:\(port)"], speaksHTTP: true)
            try pages.write("http://127.0.0.1:\(try #require(server.httpPort))\n")
            var restarts = 0
            while let line = try pages.output.next(within: 2 * Deadline.usual) {
                guard line == "restart" else { continue }
                restarts += 1
                try server.kill()
                try server.restart()
                try pages.write("restarted\n")
            }
            #expect(try pages.wait() == .exit(0), "\(pages.transcript)")
            #expect(restarts == 1)
        }
    }
}
