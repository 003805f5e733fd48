import SyncModel
import SyncSim
import SyncWire

/// Reads from the records on disk which revisions and epochs each line of a room's history has.
final class RoomLines {
    /// A line, as far as it was read.
    final class Line {
        let durable: DurableLine
        private(set) var identity: RoomIdentity?
        private var readCount = 0

        fileprivate init(_ durable: DurableLine) {
            self.durable = durable
        }

        fileprivate func readOn() {
            for record in durable.records[readCount...] {
                identity = LogReader.identity(identity, after: record)
            }
            readCount = durable.records.count
        }

        /// Whether a revision belongs to it and is durable.
        func includes(_ revision: Revision, of origin: Origin) -> Bool {
            revision <= durable.revision && identity?.includes(revision, of: origin) == true
        }
    }

    private let disk: SimulatedDisk
    private var known: [ObjectIdentifier: Line] = [:]

    init(_ disk: SimulatedDisk) {
        self.disk = disk
    }

    /// All lines that a room has had.
    func all(of room: RoomName) -> [Line] {
        disk.durable.lines(of: room).map(line)
    }

    /// The current line.
    func current(of room: RoomName) -> Line { line(disk.durable[room]) }

    private func line(_ durable: DurableLine) -> Line {
        let line = known[ObjectIdentifier(durable)] ?? Line(durable)
        // The disk does not retain an empty line, so another line may get its address.
        if !durable.records.isEmpty { known[ObjectIdentifier(durable)] = line }
        line.readOn()
        return line
    }

    /// Whether a revision is or was durable. At revision 0 all rooms are the same, even without a
    /// record.
    func include(_ revision: Revision, of origin: Origin?, in room: RoomName) -> Bool {
        if revision == 0 { return true }
        guard let origin else { return false }
        return all(of: room).contains { $0.includes(revision, of: origin) }
    }

    /// The epoch that wrote a revision. A client that knows only some epochs may name an earlier
    /// one.
    func writer(of revision: Revision, _ origin: Origin?, in room: RoomName) -> Origin? {
        guard revision > 0, let origin else { return nil }
        let line = all(of: room).first { $0.includes(revision, of: origin) }
        return line?.identity?.origin(of: revision) ?? origin
    }

    /// Whether the current line has a revision.
    func goesOn(from revision: Revision, of origin: Origin?, in room: RoomName) -> Bool {
        guard let origin else { return true }
        return current(of: room).includes(revision, of: origin)
    }
}
