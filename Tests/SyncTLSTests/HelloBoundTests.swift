import Testing

@testable import SyncTLS

/// The length of a client's hello, for which OpenSSL takes memory before it has the hello.
@Suite("The beginning of a handshake")
struct HelloBoundTests {
    private static func record(_ bytes: [UInt8], kind: UInt8 = 22) -> [UInt8] {
        [kind, 3, 1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    private static func header(of length: Int, kind: UInt8 = 1) -> [UInt8] {
        [kind, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    }

    /// How many bytes it admits, if each comes alone.
    private func admitted(_ bytes: [UInt8]) -> Int {
        var bound = HelloBound()
        return bytes.firstIndex { byte in !withUnsafeBytes(of: byte) { bound.admits($0) } }
            ?? bytes.count
    }

    @Test("its message is as long as one record at most")
    func lengths() {
        for (length, isGood) in [(0, true), (16_380, true), (16_381, false), (0xFF_FFFF, false)] {
            let bytes = Self.record(Self.header(of: length) + [0])
            #expect((admitted(bytes) == bytes.count) == isGood, "\(length)")
            var bound = HelloBound()
            #expect(bytes.withUnsafeBytes { bound.admits($0) } == isGood, "\(length)")
        }
    }

    @Test("its header may come in several records, and behind another message")
    func places() {
        let short = Self.record(Self.header(of: 3) + [1, 2, 3])
        let long = Self.header(of: 100_000)
        let cut = Self.record([long[0]]) + Self.record([]) + Self.record([long[1], long[2]])
        #expect(admitted(short + cut + Self.record([long[3]])) == short.count + cut.count + 5)
        let parted = Self.record(Array(Self.header(of: 3)) + [1]) + Self.record([2])
        let whole = parted + Self.record([3] + long)
        #expect(admitted(whole) == whole.count - 1)
        // What is encrypted has records of another kind, and may look like anything.
        let encrypted = Self.record(long + long, kind: 23) + Self.record([1], kind: 20)
        #expect(admitted(short + encrypted + short) == 2 * short.count + encrypted.count)
    }

    @Test("a stranger whose hello is longer is refused, and takes no memory", arguments: [1, 2])
    func stranger(hellos: Int) throws {
        let scene = try Scene(groups: "P-521:X25519")
        scene.peer.receive([])
        // The server does not take the first group, and asks for a second hello.
        if hellos == 2 { scene.below.send([scene.peer.takeOutput()]) }
        scene.simulation.runUntilIdle()
        #expect(scene.below.takeWritten().isEmpty == (hellos == 1))
        #expect(scene.notes.closes.isEmpty)
        scene.below.send([Self.record(Self.header(of: 131_000))])
        scene.simulation.run(forMilliseconds: 2000)
        #expect(
            scene.notes.closes == [
                .untrusted("\(scene.below.peer): its TLS hello is too long")
            ])
    }

    @Test("a client that is asked for a second hello is let in")
    func secondHello() throws {
        let scene = try Scene(groups: "P-521:X25519")
        scene.exchange()
        #expect(scene.peer.isConnected && scene.notes.closes.isEmpty)
    }
}
