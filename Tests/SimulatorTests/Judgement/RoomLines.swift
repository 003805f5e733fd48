import SyncModel
import SyncSim
import SyncWire

/// Which revisions of which epochs each line of a room's history has, read from the records on
/// disk.
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

        /// Whether a revision is part of it, and durable.
        func includes(_ revision: Revision, of origin: Origin) -> Bool {
            revision <= durable.revision && identity?.includes(revision, of: origin) == true
        }
    }

    private let disk: SimulatedDisk
    private var known: [ObjectIdentifier: Line] = [:]

    init(_ disk: SimulatedDisk) {
        self.disk = disk
    }

    /// All lines that a room ever had.
    func all(of room: String) -> [Line] {
        disk.durable.lines(of: room).map(line)
    }

    /// The line that goes on.
    func current(of room: String) -> Line { line(disk.durable[room]) }

    private func line(_ durable: DurableLine) -> Line {
        let line = known[ObjectIdentifier(durable)] ?? Line(durable)
        // An empty one is not kept by the disk, so another may come to lie where it was.
        if !durable.records.isEmpty { known[ObjectIdentifier(durable)] = line }
        line.readOn()
        return line
    }

    /// Whether a revision is or was durable. At 0 every room is the same, also one without a
    /// record.
    func include(_ revision: Revision, of origin: Origin?, in room: String) -> Bool {
        if revision == 0 { return true }
        guard let origin else { return false }
        return all(of: room).contains { $0.includes(revision, of: origin) }
    }

    /// The epoch that has written a revision, however it was named by whoever was told of some
    /// epochs only.
    func writer(of revision: Revision, _ origin: Origin?, in room: String) -> Origin? {
        guard revision > 0, let origin else { return nil }
        let line = all(of: room).first { $0.includes(revision, of: origin) }
        return line?.identity?.origin(of: revision) ?? origin
    }

    /// Whether the line that goes on has a revision that somebody held.
    func goesOn(from revision: Revision, of origin: Origin?, in room: String) -> Bool {
        guard let origin else { return true }
        return current(of: room).includes(revision, of: origin)
    }
}
