import Glibc
import SyncIO
import SyncLoop
import Testing

/// Behaviour of the system only. Serialized, because signals are sent to the whole process.
@Suite("Loops on the system", .serialized)
struct SystemTests {
    @Test(arguments: [ProcessSignal.terminate, .interrupt])
    func aSignalComesToTheLoop(_ signal: ProcessSignal) throws {
        let count: Int = try World.system.run { loop, platform, finish in
            let platform = try #require(platform as? LoopPlatform)
            var count = 0
            try platform.onSignal(signal, on: loop) {
                count += 1
                if count == 2 { finish(count) } else { raise() }
            }
            func raise() {
                kill(getpid(), signal == .terminate ? SIGTERM : SIGINT)
            }
            raise()
        }
        #expect(count == 2)
    }

    @Test func onlyLoopsOfTheSystemTakeSignals() throws {
        let error: String = try World.simulation(seed: 1).run { loop, _, finish in
            do throws(IOError) {
                try LoopPlatform().onSignal(.terminate, on: loop) {}
            } catch {
                finish("\(error)")
            }
        }
        #expect(error == "signals come only to loops on libuv")
    }

    @Test func aConnectionBrokenOffIsLost() throws {
        let closes: [IOError?] = try World.system.run { loop, _, finish in
            var raw: Int32 = -1
            let listener = try loop.listen(on: .anyPort) { stream in
                let server = Recorder(opening: stream)
                server.onClose = { finish($0.closes) }
                RawSocket.breakOff(raw)
            }
            raw = RawSocket.connect(to: listener.address)
        }
        guard closes.count == 1, case .connectionLost = closes[0] else {
            Issue.record("\(closes)")
            return
        }
    }

    @Test func writingToAConnectionBrokenOffIsAnError() throws {
        let result: (closes: [IOError?], drains: Int) = try World.system.run { loop, _, finish in
            var raw: Int32 = -1
            let listener = try loop.listen(on: .anyPort) { stream in
                // The stream does not read, so only the write can notice.
                stream.isReadingPaused = true
                let server = Recorder(opening: stream)
                server.onClose = { finish(($0.closes, $0.drains)) }
                RawSocket.breakOff(raw)
                server.onDrain = { $0.write([1]) }
                server.write([1])
            }
            raw = RawSocket.connect(to: listener.address)
        }
        guard result.closes.count == 1, case .connectionLost = result.closes[0] else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func anEndOfTheOthersWritingIsAnEnd() throws {
        let result: (closes: [IOError?], received: [UInt8]) = try World.system.run {
            loop, _, finish in
            var raw: Int32 = -1
            let listener = try loop.listen(on: .anyPort) { stream in
                let server = Recorder(opening: stream)
                server.onClose = {
                    close(raw)
                    finish(($0.closes, $0.received))
                }
                send(raw, [1, 2, 3] as [UInt8], 3, 0)
                shutdown(raw, Int32(SHUT_WR))
            }
            raw = RawSocket.connect(to: listener.address)
        }
        #expect(result.closes == [nil])
        #expect(result.received == [1, 2, 3])
    }

    @Test func aHostThatIsNotIsUnreachable() throws {
        // An empty label makes it a name that is never looked up.
        let address = SocketAddress(host: "no..where", port: 1)
        let errors: [IOError] = try World.system.run { loop, _, finish in
            var listenError = IOError.badAddress("none")
            do throws(IOError) {
                _ = try loop.listen(on: address) { _ in }
            } catch {
                listenError = error
            }
            loop.connect(to: address) { result in
                if case .failure(let error) = result { finish([listenError, error]) }
            }
        }
        guard case .system = errors[0], case .unreachable = errors[1] else {
            Issue.record("\(errors)")
            return
        }
    }

    @Test func aLoopOpensAndClosesEverythingItUses() throws {
        // One run before the count opens what the first loop of a process keeps open.
        for _ in 0..<2 { #expect(try World.system.run { _, _, finish in finish() }) }
        let before = RawSocket.openDescriptors()
        for _ in 0..<100 {
            let isDone: Bool = try World.system.run { loop, _, finish in
                try Pair.make(on: loop) { _, _, _ in finish() }
            }
            #expect(isDone)
        }
        // Other tests run at the same time; a leak would be of hundreds.
        #expect(RawSocket.openDescriptors() < before + 100)
    }

    /// The library leaves the process's signals alone, yet a write of a loop never ends the
    /// process.
    @Test func aBrokenPipeIsAnErrorOnALoopOnly() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let written = Monitor(0)
            let thread = try LoopPlatform().startLoop(named: "writer") { loop in
                var ends: [Int32] = [0, 0]
                pipe(&ends)
                close(ends[0])
                let count = write(ends[1], [1], 1)
                written.withLock { $0 = count < 0 && errno == EPIPE ? 1 : -1 }
                loop.stop()
            }
            thread.join()
            #expect(written.withLock { $0 } == 1)
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            #expect(action.__sigaction_handler.sa_handler == nil, "it is no longer the default")
        }
    }

    /// A watch gets signals as soon as they come, and nothing runs after it has finished.
    @Test func aWatchOnSignalsEndsWithItsThread() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<200 {
                let count = Monitor(0)
                let watch = try LoopPlatform().watch([.windowResized], named: "watch") { _, _ in
                    count.withLock { $0 += 1 }
                    count.notify()
                }
                kill(getpid(), SIGWINCH)
                #expect(count.wait { $0 > 0 ? $0 : nil } > 0)
                watch.finish()
            }
        }
    }

    @Test func withNoDescriptorsLeftConnectionsWait() async {
        await #expect(processExitsWith: .success) {
            let total = 20
            let acceptedBefore: Int = try World.system.run { loop, _, finish in
                var streams: [any ByteStream] = []
                var accepted = 0
                var acceptedBefore = 0
                let listener = try loop.listen(on: .anyPort) { stream in
                    accepted += 1
                    streams.append(stream)
                    _ = Recorder(opening: stream)
                    if accepted == total { finish(acceptedBefore) }
                }
                // The system connects these sockets before any is accepted.
                let sockets = (0..<total).map { _ in RawSocket.connect(to: listener.address) }
                RawSocket.leaveDescriptors(3, copying: sockets[0])
                // Enough time to try in vain; then the connections get their turns one after the
                // other.
                func makeRoom() {
                    guard accepted < total else { return }
                    if let stream = streams.popLast() { stream.close() }
                    loop.schedule(afterMilliseconds: 50, makeRoom)
                }
                loop.schedule(afterMilliseconds: 150) {
                    acceptedBefore = accepted
                    makeRoom()
                }
            }
            #expect((1..<total).contains(acceptedBefore))
        }
    }
}

/// Raw sockets of the system.
enum RawSocket {
    static func connect(to address: SocketAddress) -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, size)
            }
        }
        precondition(status == 0, "the system makes a connection to a port it listens on")
        return socket
    }

    /// Sends this many bytes, as far as the system accepts them at once.
    static func send(_ count: Int, to socket: Int32) {
        let bytes = [UInt8](repeating: 1, count: count)
        _ = Glibc.send(socket, bytes, count, Int32(MSG_DONTWAIT))
    }

    /// Reads all that has arrived.
    static func drain(_ socket: Int32) {
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        while recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    /// Closes so that the other side gets a reset.
    static func breakOff(_ socket: Int32) {
        var lingers = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_LINGER, &lingers, socklen_t(MemoryLayout<linger>.size))
        close(socket)
    }

    static func openDescriptors() -> Int {
        (0..<4096).count { fcntl($0, F_GETFD) >= 0 }
    }

    /// Leaves only this many descriptors free: the others are copies of a socket.
    static func leaveDescriptors(_ count: Int, copying socket: Int32) {
        let number = rlim_t(openDescriptors() + count + 20)
        var limit = rlimit(rlim_cur: number, rlim_max: number)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var copies: [Int32] = []
        while case let copy = dup(socket), copy >= 0 { copies.append(copy) }
        for copy in copies.suffix(count) { close(copy) }
    }
}
