import ServerSupport
import SyncBytes
import SyncIO
import SyncRoom
import SyncServer
import SyncWire
import Testing

/// Records of secured streams, each of which is work however little data it has.
@Suite struct RecordChargeTests {
    @Test("short records count as more bytes than they have", arguments: [false, true])
    func charge(isSecured: Bool) throws {
        let world = try World {
            $0.security = isSecured ? UnsecuredSecurity { BytewiseStream($0) } : nil
            $0.addresses.bytes = Rate(perSecond: 512 * 2000)
        }
        expectPause(of: try world.greet("m", from: "10.0.0.1"), isSecured, world)
    }

    @Test("and for the user, if one has signed in", arguments: [false, true])
    func userCharge(isSecured: Bool) throws {
        let world = try World {
            $0.security = isSecured ? UnsecuredSecurity { BytewiseStream($0) } : nil
            $0.tokens = TokenAuthentication(TestTokens())
            $0.users.bytes = Rate(perSecond: 512 * 2000)
        }
        // Its address is trusted, so it has no limit.
        let token = TestTokens.token("ann", "*=editor")
        expectPause(of: try world.greet("m", from: "127.0.0.1", token: token), isSecured, world)
    }

    /// Sends 20,000 bytes, which take ten seconds if each is a record.
    private func expectPause(of stranger: RawClient, _ isSecured: Bool, _ world: World) {
        var writer = ByteWriter()
        let zeros = [UInt8](repeating: 0, count: 20_000)
        zeros.withUnsafeBytes { writer.write(field: 90, bytes: $0) }
        let body = writer.makeArray()
        var frame = ByteWriter()
        frame.write(varint: UInt64(body.count))
        stranger.send(SharedBytes(frame.makeArray() + body))
        stranger.send(.listRooms(ListRooms(request: stranger.makeRequest())))
        #expect(world.run(limitMilliseconds: 7000) { !stranger.roomLists.isEmpty } != isSecured)
        #expect(world.run(limitMilliseconds: 5000) { !stranger.roomLists.isEmpty })
        #expect(stranger.connectionError?.code == .unsupported && !stranger.isClosed)
    }
}

/// A stream of which each byte is a record.
private final class BytewiseStream: UnsecuredStream {
    private var records = 0

    override func takeRecordCount() -> Int {
        defer { records = 0 }
        return records
    }

    override func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        records += bytes.count
        super.streamDidReceive(bytes)
    }
}
