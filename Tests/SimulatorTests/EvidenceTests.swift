import ModelSupport
import SyncBytes
import SyncClient
import SyncModel
import SyncSim
import SyncStore
import SyncWire
import Testing

/// Checks what the evidence reports as violations, and what not.
@Suite struct EvidenceTests {
    private static let room = roomName("room")
    private static let first = RoomIdentity(
        RoomID(high: 1, low: 1), Epoch(EpochID(value: 1), first: 0))
    private static let another = RoomIdentity(
        RoomID(high: 2, low: 2), Epoch(EpochID(value: 2), first: 0))

    /// The room is recreated, and comes back with a copy of the store. The room that is gone
    /// refuses a transaction that was made for it meanwhile.
    @Test(arguments: [another, first])
    func refusalsForAnotherRoom(told: RoomIdentity) throws {
        let simulation = Simulation(seed: 1)
        defer { simulation.end() }
        let disk = SimulatedDisk(seed: 1)
        let evidence = Evidence(simulation, disk)
        let storage = SimulatedStorage(on: disk, for: simulation.makePlatform(named: "server"))
        _ = try storage.append([PendingAppend(record: Self.record(), room: Self.room)])
        let copy = disk.copy()
        disk.putBack(to: .empty)
        disk.putBack(to: copy)

        let name = Evidence.Name(room: Self.room, client: Identifier("c"), counter: 1)
        let origin = Self.first.origin(of: 1)
        evidence.didSubmit(
            name, ListTransaction(base: 1, operations: []), holding: 1, of: origin, changeCount: 1)
        let refusal = Rejection(code: .roomChanged, message: "")
        evidence.didAnswer(name, .rejected(refusal), in: told, changeCount: 1)
        let expected: [Violation.Kind] = told == Self.first ? [.wrongHistory] : []
        #expect(evidence.violations.map(\.kind) == expected)
    }

    /// The first record of the first room, up to revision 1.
    private static func record() -> LogRecord {
        var body = ByteWriter()
        body.write(varint: 4)
        body.write(varint: UInt64(RoomID.byteCount + EpochID.byteCount))
        first.id.write(to: &body)
        first.newestEpoch.write(to: &body)
        return LogRecord(
            sequence: 1, firstRevision: 1, lastRevision: 1, wallClockMilliseconds: 0,
            body: SharedBytes(copying: body.bytes))
    }
}
