import SyncIO
import SyncServer
import SyncTLS
import SyncTokens

/// The files that the server reads again on each SIGHUP: certificates, keys, and the limits of the
/// config file. Each of these three is used as a whole, or stays as it was.
struct ReloadedFiles: Sendable {
    let security: TLSServer?
    let verifier: KeyVerifier?
    let keyFiles: KeyFiles
    private let server = Monitor<Server?>(nil)

    init(security: TLSServer?, verifier: KeyVerifier?, keyFiles: KeyFiles) {
        self.security = security
        self.verifier = verifier
        self.keyFiles = keyFiles
    }

    /// The server of these files has begun.
    func attend(_ server: Server) {
        self.server.withLock { $0 = server }
    }

    func readAgain(with limits: ReloadedLimits, _ log: CommandLog) {
        if security == nil, verifier == nil, !limits.areInFile {
            log.log(.info, "there are no certificates or keys to read again", [:])
        }
        if let security {
            do throws(TLSError) {
                try security.reload()
                log.log(.info, "the certificates are read again", [:])
            } catch {
                log.log(.error, "the certificates stay as they were", ["why": error.description])
            }
        }
        if let verifier {
            do throws(KeyError) {
                let retired = verifier.replace(try keyFiles.read())
                server.withLock { $0 }?.keysHaveChanged(without: retired)
                log.log(.info, "the keys of tokens are read again", [:])
            } catch {
                log.log(
                    .error, "the keys of tokens stay as they were", ["why": error.description])
            }
        }
        limits.readAgain(self, log)
    }
}
