import SyncHTTP
import SyncIO
import SyncServer
import SyncSim
import SyncStore
import Testing

/// A server with two gateways at one address.
@Suite struct GatewayTests {
    private func start(isOptional: Bool) throws -> (Result<SocketAddress, IOError>, gateways: Int) {
        let simulation = Simulation(seed: 1)
        let platform = simulation.makePlatform(named: "server")
        let outcome = Box<Result<SocketAddress, IOError>?>(nil)
        let address = SocketAddress(host: "127.0.0.1", port: 7421)
        let server = try Server.start(
            on: platform,
            store: WorkerStore.memory(worker: try platform.startWorker(named: "store")),
            configuration: ServerConfiguration(), log: QuietLog(),
            gateways: [
                HTTPGateway(at: address), HTTPGateway(at: address, isOptional: isOptional),
            ],
            ready: { outcome.value = $0 })
        simulation.run(limitMilliseconds: 1000) { outcome.value != nil }
        defer {
            simulation.end()
            server.join()
        }
        return (try #require(outcome.value), server.addressesOfGateways.compactMap(\.self).count)
    }

    @Test func anAddressInUseIsAFailure() throws {
        let (result, _) = try start(isOptional: false)
        #expect(throws: IOError.self) { try result.get() }
    }

    @Test func theServerBeginsWithoutAPortThatNobodyHasAskedFor() throws {
        let (result, gateways) = try start(isOptional: true)
        #expect(try result.get().port != 0)
        #expect(gateways == 1)
    }
}
