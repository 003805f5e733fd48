import ArgumentParser
import SyncIO
import SyncLoop
import SyncServer
import SyncStore
import SyncTLS
import SyncTerminal
import SyncTokens

// The files that a server opens before it begins.
extension ServeCommand {
    func readFiles() throws -> ReloadedFiles {
        do {
            return ReloadedFiles(
                security: try tls.makeServer(), verifier: try tokens.makeVerifier(),
                keyFiles: tokens.keyFiles)
        } catch let error as TLSError {
            throw fail("\(error)", .configuration)
        } catch let error as KeyError {
            throw fail("\(error.description)", .configuration)
        }
    }

    /// Opens what the server writes beside the store. If that fails, the store is finished.
    func openRecords(
        beside store: any Store, on platform: LoopPlatform, _ log: CommandLog
    ) throws -> (RevocationFile?, AuditWriter?) {
        let place = memory ? nil : folder
        var revocations: RevocationFile?
        do {
            if identifiesUsers {
                revocations = try tokens.openRevocations(in: place, on: platform, log)
            }
            return (revocations, try audit.open(in: place, on: platform, log))
        } catch {
            revocations?.finish()
            store.finish()
            throw error
        }
    }

    func openStore(on platform: LoopPlatform, _ log: CommandLog) throws -> any Store {
        var startedWorkers: [any Worker] = []
        do {
            let worker = try platform.startWorker(named: "store")
            startedWorkers.append(worker)
            if memory {
                return WorkerStore.memory(worker: worker, clock: LoopPlatform.clock)
            }
            let reader = try platform.startWorker(named: "store reader")
            startedWorkers.append(reader)
            return try WorkerStore.sqlite(
                directory: folder,
                options: SQLiteOptions(
                    syncMode: sync,
                    maximumPages: maximumDiskBytes.map { UInt32(clamping: $0 / 4096) }),
                worker: worker, reader: reader, clock: LoopPlatform.clock,
                report: { Self.log($0, to: log) })
        } catch {
            for worker in startedWorkers { worker.finish() }
            guard let error = error as? StoreError else {
                throw fail("\(String(describing: error))", .internalError)
            }
            throw fail("\(error)", ExitCode(error))
        }
    }

    /// Logs what is known of the store's end. The server goes on: each opening of a room begins an
    /// epoch, so clients notice what is lost.
    private static func log(_ tail: TailCheck, to log: CommandLog) {
        switch tail {
        case .reached: break
        case .missing, .unreadable: log.log(.info, tail.description ?? "", [:])
        case .lost(let database, let file):
            log.log(
                .error, "the store has lost its last commits: clients may have seen them",
                ["databaseCommit": "\(database)", "seenCommit": "\(file)"])
        }
    }
}
