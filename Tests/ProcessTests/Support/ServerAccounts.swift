import SyncWire
import Testing

/// What a server says that it holds, and what the system says.
struct ServerAccounts {
    /// What all accounts come to.
    let heldBytes: Int
    let residentBytes: Int

    /// The most memory that is in order.
    var limitBytes: Int { heldBytes + heldBytes / 4 + 64 << 20 }
}

extension ServerProcess {
    /// Asks for the accounts, with the figures of a room that is there.
    func accounts(_ room: String, by connection: WireConnection) throws -> ServerAccounts {
        try connection.send(
            .readStats(RoomRequest(request: 77, room: try RoomName(named: room))))
        while true {
            switch try connection.next() {
            case .stats(let stats):
                let kinds: [ServerFigure] = [
                    .connectionBytes, .queueBytes, .roomBytes, .viewBytes, .presenceBytes,
                    .storeBytes, .readBytes,
                ]
                let held = kinds.reduce(0) { $0 + (stats.server[$1] ?? 0) }
                return ServerAccounts(
                    heldBytes: Int(held), residentBytes: try residentBytes)
            case .error(let error): throw TestFailure("stats were answered with \(error)")
            default: continue
            }
        }
    }

    /// The memory that the server has in use is what its accounts come to, or little more.
    func expectMemoryWithinAccounts(
        _ what: String, _ room: String, by connection: WireConnection,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let accounts = try accounts(room, by: connection)
        let (held, resident) = (accounts.heldBytes >> 10, accounts.residentBytes >> 10)
        print("\(what): \(held) KiB in accounts, \(resident) KiB in memory")
        #expect(
            accounts.residentBytes <= accounts.limitBytes || Program.isSanitized,
            "\(what): \(resident) KiB in memory, \(held) KiB in accounts",
            sourceLocation: location)
    }
}
