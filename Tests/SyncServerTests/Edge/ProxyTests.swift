import SyncBytes
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Connections that a proxy forwards.
@Suite struct ProxyTests {
    private func hello(_ world: World, from source: String? = nil, _ header: [UInt8]) throws
        -> RawClient
    {
        let client = try world.connect(from: source)
        client.send(SharedBytes(header))
        client.send(.hello(Hello(agent: "test")))
        _ = world.run(limitMilliseconds: 1000) { client.welcome != nil || client.isClosed }
        return client
    }

    @Test func theNamedAddressCounts() throws {
        let world = try World {
            $0.proxies.sendHeaders = true
            $0.addresses.connections = 2
        }
        let header = ProxyHeaderTests.version4([10, 0, 0, 1], port: 77, [3, 0, 1, 9])
        for _ in 0..<2 { #expect(try hello(world, header).welcome != nil) }
        #expect(world.log.lines.contains { $0.contains("10.0.0.1:77") })
        let third = try hello(world, header)
        #expect(third.isClosed && third.connectionError?.code == .tooManyConnections)
        let other = ProxyHeaderTests.version4([10, 0, 0, 2], port: 77)
        #expect(try hello(world, other).welcome != nil)
        // The proxy itself is trusted, and so are the trusted addresses that it names.
        for _ in 0..<3 {
            #expect(try hello(world, ProxyHeaderTests.header(0x20, 0, [])).welcome != nil)
            let near = ProxyHeaderTests.version4([127, 0, 0, 1], port: 77)
            #expect(try hello(world, near).welcome != nil)
        }
    }

    @Test func connectionsOfNamedAddressesAreGivenBack() throws {
        let world = try World {
            $0.proxies.sendHeaders = true
            $0.addresses.connections = 1
        }
        let header = ProxyHeaderTests.version4([10, 0, 0, 1], port: 77)
        for _ in 0..<5 {
            let client = try hello(world, header)
            #expect(client.welcome != nil)
            client.close()
            world.run(forMilliseconds: 100)
        }
    }

    @Test func headersOfOthersAreRefused() throws {
        let header = ProxyHeaderTests.version4([10, 0, 0, 1], port: 77)
        for reads in [false, true] {
            let world = try World { $0.proxies.sendHeaders = reads }
            let stranger = try hello(world, from: "10.9.9.9", header)
            #expect(stranger.isClosed && stranger.welcome == nil)
            #expect(stranger.connectionError?.code.closes == true)
            // Addresses that need no header are served without one.
            #expect(try world.greet(from: "10.9.9.9").welcome != nil)
        }
    }

    @Test func aTrustedConnectionNeedsAHeader() throws {
        let world = try World { $0.proxies.sendHeaders = true }
        for bytes in [[], [0x0D], Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n".utf8)] as [[UInt8]] {
            let client = try hello(world, bytes)
            #expect(client.isClosed && client.connectionError?.code == .badHandshake)
        }
    }

    @Test func aHeaderComesInTime() throws {
        let world = try World { $0.proxies.sendHeaders = true }
        let client = try world.connect()
        client.isAlive = false
        for byte in ProxyHeaderTests.version4([10, 0, 0, 1], port: 77).dropLast() {
            client.send(SharedBytes([byte]))
            world.run(forMilliseconds: 500)
        }
        #expect(client.isClosed && client.connectionError?.code == .handshakeTimeout)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aHeaderMayComeInPieces(seed: UInt64) throws {
        let world = try World(seed: seed) { $0.proxies.sendHeaders = true }
        world.simulation.conditions.pieceBytes = 1...3
        let header = ProxyHeaderTests.version4(
            [10, 0, 0, 1], port: 77, [UInt8](repeating: 7, count: 300))
        #expect(try hello(world, header).welcome != nil)
    }
}
