import SyncBytes
import SyncHTTPCodec
import SyncIO
import SyncServer
import SyncWire

// The names by which a server may be asked that asks nobody for a token. Whoever has a page may
// have its name lead to this machine (DNS rebinding). A browser then takes the server for the
// page's own origin, and lets the page do everything. But `Host` still has the page's name.
extension HTTPConnection {
    /// Checks the host of a request, if nothing else keeps pages away: neither a token nor a
    /// certificate, in which the browser would miss the page's name.
    func checkHost(of head: RequestHead) throws(RequestRefusal) {
        guard options.isForThisMachine, !gateway.isSecured,
            options.service.purpose == .monitoring || !gateway.needsTokens
        else { return }
        // What names none is no page: browsers can't omit it.
        guard let host = head.fields.value(of: "Host"),
            self.host?.isSame(as: host) != true
        else { return }
        guard options.admits(host: host) else { throw .foreignHost }
        self.host = host
    }
}

extension RequestRefusal {
    static let foreignHost = RequestRefusal(
        status: 421, code: ErrorCode.notAllowed.rawValue,
        text: "the server may be asked by the names of this machine alone: see --http-origin")
}

extension HTTPOptions {
    /// Whether a host is this machine by a name that nobody else can give it, or one whose pages
    /// are admitted.
    fileprivate func admits(host: ForeignText) -> Bool {
        let name = HTTPOptions.name(of: host.shown)
        if SocketAddress(host: name.shown, port: 0).isLoopback { return true }
        return origins.contains { origin in
            origin.firstRange(of: "://").map {
                let own = HTTPOptions.name(of: String(origin[$0.upperBound...]))
                return name.isSame(ignoringCaseOf: own.shown)
            } ?? false
        }
    }

    /// The name or address in a host, without port and brackets.
    private static func name(of host: String) -> ForeignText {
        ForeignText(
            bounded: host.first == "["
                ? String(host.dropFirst().prefix { $0 != "]" })
                : String(host.prefix { $0 != ":" }))
    }
}
