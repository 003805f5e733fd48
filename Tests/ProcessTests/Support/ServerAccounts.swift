import SyncModel
import SyncWire
import Testing

extension ServerProcess {
    /// Requests the sum of all accounts, in bytes. The request needs a room that exists.
    func heldBytes(_ room: String, by connection: WireConnection) throws -> Int {
        try connection.send(
            .readStats(RoomRequest(request: 77, room: try RoomName(named: room))))
        while true {
            switch try connection.next() {
            case .stats(let stats):
                let kinds: [ServerFigure] = [
                    .connectionBytes, .queueBytes, .roomBytes, .viewBytes, .presenceBytes,
                    .storeBytes, .readBytes,
                ]
                return Int(kinds.reduce(0) { $0 + (stats.server[$1] ?? 0) })
            case .error(let error): throw TestFailure("stats were answered with \(error)")
            default: continue
            }
        }
    }

    /// Checks that the server uses the memory of its accounts, or little more.
    func expectMemoryWithinAccounts(
        _ what: String, _ room: String, by connection: WireConnection,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        // Work may begin or end between the answer and the look at the system.
        let before = try heldBytes(room, by: connection)
        let resident = try anonymousBytes
        let held = max(before, try heldBytes(room, by: connection))
        let limit = held + held / 4 + 44 << 20
        let figures = "\(what): \(held >> 10) KiB in accounts, \(resident >> 10) KiB in memory"
        print(figures)
        #expect(
            resident <= limit || Program.isSanitized, "\(figures)", sourceLocation: location)
    }
}
