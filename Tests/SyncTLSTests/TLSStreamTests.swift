import SeededRandom
import SyncBytes
import SyncIO
import SyncSim
import TLSSupport
import Testing

@testable import SyncTLS

/// A secured stream of a server, and a client of OpenSSL's own at its other side.
final class Scene {
    /// What comes of the stream. Sendable, because everything runs on one thread.
    final class Notes: ByteStreamHandler, @unchecked Sendable {
        var received: [UInt8] = []
        var drains = 0
        var closes: [IOError?] = []

        func streamDidReceive(_ bytes: UnsafeRawBufferPointer) { received += bytes }
        func streamDidDrain() { drains += 1 }
        func streamDidClose(_ error: IOError?) { closes.append(error) }
    }

    /// Sendable, because everything runs on one thread.
    private final class Kept: @unchecked Sendable {
        var loop: (any EventLoop)?
    }

    let authority: TestAuthority
    let simulation = Simulation(seed: 1)
    let below: ScriptedStream
    let stream: any SecuredStream
    let peer: BarePeer
    let notes = Notes()

    init(
        needsCertificate: Bool = false, named name: String? = nil, groups: String? = nil,
        whenDue: (() -> Void)? = nil
    )
        throws
    {
        authority = try TestAuthority()
        let server = try authority.makeServer(asksForCertificates: needsCertificate)
        let kept = Kept()
        try simulation.makePlatform(named: "server").startLoop(named: "server") { kept.loop = $0 }
        simulation.runUntilIdle()
        let loop = try #require(kept.loop)
        below = ScriptedStream(on: loop)
        stream = server.secure(below, on: loop)
        stream.whenHandshakeIsDue = whenDue
        let issued: TestAuthority.Issued? = if let name { try authority.issue(name) } else { nil }
        peer = try BarePeer(as: issued, groups: groups)
        stream.open(notes)
    }

    deinit {
        below.abandon()
        simulation.end()
    }

    /// Passes on what both sides send until nothing comes any more.
    ///
    /// - Parameter cut: cuts what comes to the stream.
    func exchange(cut: ([UInt8]) -> [[UInt8]] = { [$0] }) {
        peer.receive([])
        for _ in 0..<20 {
            let sent = peer.takeOutput()
            below.send(cut(sent))
            simulation.runUntilIdle()
            let written = below.takeWritten()
            if sent.isEmpty, written.isEmpty { return }
            peer.receive(written)
        }
    }
}

@Suite("TLS streams")
struct TLSStreamTests {
    private static func bytewise(_ bytes: [UInt8]) -> [[UInt8]] { bytes.map { [$0] } }

    @Test("records may come byte by byte")
    func byteByByte() throws {
        let scene = try Scene()
        scene.exchange(cut: TLSStreamTests.bytewise)
        scene.peer.write(Array("hello".utf8))
        scene.exchange(cut: TLSStreamTests.bytewise)
        #expect(scene.notes.received == Array("hello".utf8))
        scene.stream.write([SharedBytes(Array("hello yourself".utf8))])
        scene.exchange(cut: TLSStreamTests.bytewise)
        #expect(scene.peer.received == Array("hello yourself".utf8))
        #expect(scene.notes.drains == 1)
        #expect(scene.notes.closes.isEmpty)
    }

    @Test("records may be cut anywhere, and keys may change", arguments: [UInt64](1...20))
    func cuts(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let scene = try Scene()
        func cut(_ bytes: [UInt8]) -> [[UInt8]] {
            var parts: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = 1 + generator.below([1, 10, 1000, 60_000][generator.below(4)])
                parts.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            return parts
        }
        scene.exchange(cut: cut)
        var sent: [UInt8] = []
        var answered: [UInt8] = []
        for number in 0..<20 {
            let count = [1, 100, 16_384, 50_000][generator.below(4)]
            let bytes = [UInt8](repeating: UInt8(number), count: count)
            if generator.below(4) == 0 { scene.peer.updateKeys() }
            scene.peer.write(bytes)
            sent += bytes
            // Parts of all sizes, and empty ones, of bytes that differ everywhere.
            let parts = (0..<generator.below(6)).map { part in
                (0..<[0, 1, 300, 40_000][generator.below(4)]).map {
                    UInt8(truncatingIfNeeded: $0 &* 167 &+ ($0 >> 8) &* 31 &+ part &+ number)
                }
            }
            scene.stream.write(parts.map { SharedBytes($0) })
            answered += parts.flatMap { $0 }
            scene.exchange(cut: cut)
            #expect(!scene.stream.isWriting)
        }
        // Arrays of this length are not compared by the macro, which would print all of them.
        let (isSame, isSameBack) = (scene.notes.received == sent, scene.peer.received == answered)
        #expect(isSame && isSameBack, "seed \(seed)")
        #expect(scene.notes.drains == 20)
        #expect(scene.notes.closes.isEmpty)
    }

    @Test(
        "keys are agreed on fast or not at all",
        arguments: [
            ("X25519", true), ("P-256", true), ("ffdhe8192:P-256", true), ("ffdhe2048", false),
            ("ffdhe8192", false), ("X448", false), ("P-384:P-521", false),
        ])
    func groups(_ groups: String, _ isGood: Bool) throws {
        let scene = try Scene(groups: groups)
        scene.exchange()
        #expect(scene.peer.isConnected == isGood)
        scene.simulation.run(forMilliseconds: 2000)
        #expect(scene.notes.closes.isEmpty == isGood)
    }

    @Test("what is written before the handshake is sent after it")
    func early() throws {
        let scene = try Scene()
        scene.stream.write([SharedBytes([1, 2, 3])])
        #expect(scene.stream.isWriting && scene.stream.unsentBytes == 3)
        scene.simulation.runUntilIdle()
        #expect(scene.below.takeWritten().isEmpty)
        scene.exchange()
        #expect(scene.peer.received == [1, 2, 3])
        #expect(scene.notes.drains == 1)
    }

    @Test("a paused stream keeps what has come, and receives it later")
    func pause() throws {
        let scene = try Scene()
        scene.exchange()
        scene.stream.isReadingPaused = true
        scene.peer.write([1])
        scene.exchange()
        #expect(scene.notes.received.isEmpty)
        scene.stream.isReadingPaused = false
        #expect(scene.notes.received.isEmpty)
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received == [1])
    }

    /// Ends the handshake, and sends bytes in one piece with its last message.
    private func endHandshake(_ scene: Scene, with bytes: [UInt8]) {
        scene.peer.receive([])
        scene.below.send([scene.peer.takeOutput()])
        scene.simulation.runUntilIdle()
        scene.peer.receive(scene.below.takeWritten())
        scene.peer.write(bytes)
        scene.below.send([scene.peer.takeOutput()])
        scene.simulation.runUntilIdle()
    }

    @Test("data may come in one piece with the end of the handshake")
    func together() throws {
        let scene = try Scene()
        endHandshake(scene, with: [1, 2, 3])
        #expect(scene.notes.received == [1, 2, 3])
    }

    @Test("a stream that is paused again keeps what has come")
    func pauseAgain() throws {
        let scene = try Scene()
        scene.stream.isReadingPaused = true
        endHandshake(scene, with: [1, 2, 3])
        scene.stream.isReadingPaused = false
        scene.stream.isReadingPaused = true
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received.isEmpty)
        scene.stream.isReadingPaused = false
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received == [1, 2, 3])
    }

    @Test("the other side is told that nothing follows", arguments: [false, true])
    func ending(finishes: Bool) throws {
        let scene = try Scene()
        scene.exchange()
        if finishes { scene.stream.finishWriting() } else { scene.stream.close() }
        #expect(!scene.peer.hasEnded)
        scene.exchange()
        #expect(scene.peer.hasEnded)
    }

    @Test("a changed byte ends the connection", arguments: [0, 1, 5, 20])
    func tampering(place: Int) throws {
        let scene = try Scene()
        scene.exchange()
        scene.peer.write(Array("hello".utf8))
        scene.exchange { bytes in
            var bytes = bytes
            if place < bytes.count { bytes[place] ^= 1 }
            return [bytes]
        }
        #expect(scene.notes.received.isEmpty)
        scene.simulation.run(forMilliseconds: 2000)
        let closes = scene.notes.closes
        guard closes.count == 1, case .connectionLost = closes[0] else {
            Issue.record("closed by \(closes)")
            return
        }
    }

    @Test("many records do not have the same key")
    func recordsOfKey() throws {
        let scene = try Scene()
        scene.exchange()
        let stream = try #require(scene.stream as? TLSStream)
        #expect(TLSEngine.recordsPerKey <= 1 << 24)
        // Each write is of one record, and then one is of three.
        for (number, bytes) in [1, 16_384, 1, 1, 40_000, 1].enumerated() {
            if number == 0 || number == 4 { stream.engine.recordsLeft = 3 }
            stream.write([SharedBytes([UInt8](repeating: UInt8(number), count: bytes))])
            scene.exchange()
            #expect(scene.peer.keyUpdates == [0, 0, 0, 1, 1, 2][number], "write \(number)")
        }
        #expect(scene.peer.received.count == 56_388 && scene.notes.closes.isEmpty)
    }

    @Test("key updates without data end the connection", arguments: [0, 1])
    func keyUpdates(bytesEach: Int) throws {
        let scene = try Scene()
        scene.exchange()
        for _ in 0..<60 {
            scene.peer.updateKeys()
            if bytesEach > 0 { scene.peer.write([1]) }
        }
        scene.exchange()
        scene.simulation.run(forMilliseconds: 2000)
        #expect(
            scene.notes.closes
                == [.connectionLost("10.0.0.2:5000: too many TLS records without data")])
    }

    @Test("data allow key updates once", arguments: [(49, true), (50, false)])
    func creditOfData(updates: Int, isAllowed: Bool) throws {
        let scene = try Scene()
        scene.exchange()
        // It is allowed 32, and spends them before the data.
        for _ in 0..<32 {
            scene.peer.updateKeys()
            scene.exchange()
        }
        // That allows another 16, and the last data count for the next one.
        scene.peer.write([UInt8](repeating: 1, count: 16 * 16_384 + 16_383))
        scene.exchange()
        for number in 33...updates {
            scene.peer.updateKeys()
            scene.exchange()
            if number == 48 {
                scene.peer.write([1])
                scene.exchange()
            }
        }
        scene.simulation.run(forMilliseconds: 2000)
        #expect(scene.notes.closes.isEmpty == isAllowed)
    }

    @Test("an endless handshake ends", arguments: [UInt8(0x16), 0x17, 0x15, 0x47])
    func endless(kind: UInt8) throws {
        let scene = try Scene()
        // A hello of 16 MiB, as it says, in records of 16 KiB.
        let begin: [UInt8] = [kind, 3, 1, 0x40, 0, 1, 0xFF, 0xFF, 0xFF]
        let record = begin + [UInt8](repeating: 0, count: 0x4000 - 4)
        scene.below.send([[UInt8]](repeating: record, count: 100))
        scene.simulation.run(forMilliseconds: 2000)
        let closes = scene.notes.closes
        guard closes.count == 1, case .untrusted = closes[0] else {
            Issue.record("closed by \(closes)")
            return
        }
        #expect(scene.notes.received.isEmpty)
    }

    @Test("while a step of the handshake is due, nothing more is read")
    func steps() throws {
        var due = 0
        let scene = try Scene { due += 1 }
        scene.peer.receive([])
        let hello = scene.peer.takeOutput()
        scene.below.send([Array(hello.prefix(100)), Array(hello[100...])])
        scene.simulation.runUntilIdle()
        #expect(due == 1 && scene.below.receivedBytes == 100)
        #expect(scene.below.takeWritten().isEmpty)
        scene.stream.continueHandshake()
        scene.simulation.runUntilIdle()
        #expect(due == 2 && scene.below.receivedBytes == hello.count)
        scene.stream.continueHandshake()
        scene.simulation.runUntilIdle()
        #expect(!scene.below.takeWritten().isEmpty)
        // A step that is not due does nothing.
        scene.stream.continueHandshake()
        #expect(due == 2 && scene.notes.closes.isEmpty)
    }

    @Test("a part of a record counts as memory until the rest comes")
    func memory() throws {
        let scene = try Scene()
        scene.exchange()
        let idle = scene.stream.memoryBytes
        scene.peer.write([UInt8](repeating: 1, count: 1000))
        let length = scene.peer.takeOutput().count
        for count in [1, 5, 6, length - 5, length - 1] {
            let scene = try Scene()
            scene.exchange()
            scene.peer.write([UInt8](repeating: 1, count: 1000))
            let record = scene.peer.takeOutput()
            scene.below.send([Array(record.prefix(count))])
            scene.simulation.runUntilIdle()
            #expect(scene.stream.memoryBytes > idle + 16_384, "\(count) bytes")
            scene.below.send([Array(record[count...])])
            scene.simulation.runUntilIdle()
            #expect(scene.notes.received.count == 1000)
            #expect(scene.stream.memoryBytes == idle)
        }
    }

    @Test("a handshake under way counts as memory")
    func memoryOfHandshake() throws {
        let scene = try Scene()
        let silent = scene.stream.memoryBytes
        scene.peer.receive([])
        let hello = scene.peer.takeOutput()
        for part in [hello.prefix(1), hello.dropFirst()] {
            scene.below.send([Array(part)])
            scene.simulation.runUntilIdle()
            #expect(scene.stream.memoryBytes >= silent + 30_000)
        }
        scene.peer.receive(scene.below.takeWritten())
        scene.exchange()
        #expect(scene.stream.memoryBytes == silent)
    }

    @Test("a client without a certificate gets nothing through, and nothing back")
    func noCertificate() throws {
        let scene = try Scene(needsCertificate: true)
        scene.stream.write([SharedBytes(Array("secret".utf8))])
        scene.exchange()
        // A client of TLS 1.3 may send before the server has looked at its certificate.
        scene.peer.write(Array("hello".utf8))
        scene.exchange()
        // It has time to read why.
        #expect(scene.below.isFinished && !scene.below.isClosed)
        scene.simulation.run(forMilliseconds: 2000)
        #expect(scene.below.isClosed)
        #expect(scene.notes.received.isEmpty && scene.peer.received.isEmpty)
        #expect(scene.notes.closes.count == 1 && scene.stream.certificate == nil)
    }

    @Test("the certificate's name is the client's")
    func certificateName() throws {
        let scene = try Scene(needsCertificate: true, named: "Änn")
        scene.exchange()
        #expect(scene.stream.certificate?.name == "Änn")
        scene.peer.write([1])
        scene.exchange()
        #expect(scene.notes.received == [1])
    }
}
