import SyncIO
import Testing

@Suite("Listening and connecting, on the system and simulated")
struct ConnectingTests {
    @Test(arguments: World.all)
    func aPortNobodyListensOnIsUnreachable(_ world: World) throws {
        let failures: [String] = try world.run { loop, _, finish in
            let listener = try loop.listen(on: .anyPort) { _ in }
            listener.close()
            listener.close()
            var isInCall = true
            var failures: [String] = []
            for host in ["127.0.0.1", "localhost"] {
                let address = SocketAddress(host: host, port: listener.address.port)
                loop.connect(to: address) { result in
                    switch result {
                    case .failure(.unreachable):
                        failures.append(isInCall ? "too early" : "unreachable")
                    case .failure(let error): failures.append("\(error)")
                    case .success: failures.append("connected")
                    }
                    if failures.count == 2 { finish(failures) }
                }
            }
            isInCall = false
        }
        #expect(failures == ["unreachable", "unreachable"])
    }

    @Test(arguments: World.all)
    func aPortIsListenedOnOnce(_ world: World) throws {
        let error: IOError? = try world.run { loop, _, finish in
            let listener = try loop.listen(on: .anyPort) { _ in }
            do throws(IOError) {
                _ = try loop.listen(on: listener.address) { _ in }
                finish(nil)
            } catch {
                listener.close()
                guard error == .addressInUse(listener.address.description) else {
                    return finish(error)
                }
                // After it is closed the address is free again.
                loop.schedule(afterMilliseconds: 5) {
                    let again = try? loop.listen(on: listener.address) { _ in }
                    finish(again == nil ? .system("still in use") : error)
                }
            }
        }
        guard case .addressInUse = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: World.all)
    func addressesOfTheSixthVersionServeAsWell(_ world: World) throws {
        let address = SocketAddress(host: "::1", port: 0)
        let peers: [String] = try world.run { loop, _, finish in
            try Pair.make(on: loop, at: address) { client, server, listener in
                client.write([1])
                server.onReceive = { _ in
                    finish([client.stream.peer, listener.address.description, server.stream.peer])
                }
            }
        }
        #expect(peers[0] == peers[1])
        #expect(peers[0].hasPrefix("[::1]:"))
        #expect(peers[2].hasPrefix("[::1]:") && peers[2] != peers[0])
    }

    @Test(arguments: World.all)
    func aHostMayBeAName(_ world: World) throws {
        let peer: String = try world.run { loop, _, finish in
            let listener = try loop.listen(on: .anyPort) { stream in
                _ = Recorder(opening: stream)
            }
            let address = SocketAddress(host: "localhost", port: listener.address.port)
            loop.connect(to: address) { result in
                finish((try? result.get())?.peer ?? "\(result)")
            }
        }
        #expect(peer.hasPrefix("127.0.0.1:"))
    }

    @Test(arguments: World.all)
    func connectionsByTheThousandComeAndGo(_ world: World) throws {
        let counts: [Int] = try world.run { loop, _, finish in
            let total = 3000
            let atOnce = 50
            var (begun, accepted, closedHere, closedThere) = (0, 0, 0, 0)
            var failure: IOError?
            let listener = try loop.listen(on: .anyPort) { stream in
                accepted += 1
                let server = Recorder(opening: stream)
                server.onReceive = { $0.write($0.received) }
                server.onClose = { _ in
                    closedThere += 1
                    endIfDone()
                }
            }
            func connect() {
                guard begun < total else { return }
                begun += 1
                loop.connect(to: listener.address) { result in
                    guard let stream = try? result.get() else { return finish([]) }
                    let client = Recorder(opening: stream)
                    client.onReceive = { $0.close() }
                    client.onClose = { client in
                        failure = client.closes[0] ?? failure
                        closedHere += 1
                        connect()
                        endIfDone()
                    }
                    client.write([1])
                }
            }
            func endIfDone() {
                guard closedHere == total, closedThere == total else { return }
                finish([accepted, closedHere, closedThere, failure == nil ? 0 : 1])
            }
            for _ in 0..<atOnce { connect() }
        }
        #expect(counts == [3000, 3000, 3000, 0])
    }
}
