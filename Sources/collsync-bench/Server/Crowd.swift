import Glibc
import SyncBytes

/// Members that are connected to one server, some of which write: the load, on one thread.
///
/// A run ends when every member has seen every edit, so it measures what all members have received.
final class Crowd<Member: CrowdMember> {
    /// The load on the server.
    struct Load {
        /// How many edits of a writer are in flight at a time.
        var window: Int
        var seconds = Double.infinity
        var edits = Int.max
    }

    struct Outcome {
        var edits: Int
        var seconds: Double
        var perSecond: Double { Double(edits) / seconds }
    }

    private struct Seat {
        let socket: Socket
        var member: Member
        var sent = 0
        var outgoing: [UInt8] = []
    }

    private var seats: [Seat]
    private let writers: Int
    private let readers: Int
    private let sockets = SocketSet()
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var writer = ByteWriter(capacity: 1 << 16)
    private(set) var sent = 0
    /// How many times members received a snapshot.
    var snapshots: Int { seats.reduce(0) { $0 + $1.member.snapshots } }
    /// The number of members that have seen all edits.
    private var upToDate = 0

    /// Connects all members to one port, one after the other.
    ///
    /// - Parameter connect: makes a connection to the port.
    convenience init(
        members: Int, writers: Int, port: UInt16,
        connect: (UInt16) throws -> Socket = { try Socket(port: $0) },
        enter: (Socket, Int) throws -> Member
    ) throws {
        try self.init(members: members, writers: writers) { number in
            let socket = try connect(port)
            return (socket, try enter(socket, number))
        }
    }

    /// Makes all members, one after the other.
    ///
    /// - Parameter enter: connects the member of a number. The writers come first.
    init(members: Int, writers: Int, enter: (Int) throws -> (Socket, Member)) throws {
        self.writers = writers
        seats = try (0..<members).map { number in
            let (socket, member) = try enter(number)
            return Seat(socket: socket, member: member)
        }
        readers = seats.count { $0.member.reads }
        for index in seats.indices {
            try seats[index].member.settle()
            seats[index].socket.stopWaiting()
            try sockets.add(seats[index].socket, as: index)
        }
        upToDate = readers
    }

    deinit {
        memory.deallocate()
    }

    /// Lets the writers write, each within its window, until the load is done and all members have
    /// seen all of it.
    func run(_ load: Load) throws -> Outcome {
        try giveSignsOfLife()
        let before = sent
        let watch = Stopwatch()
        var isWriting = true
        while true {
            isWriting = isWriting && watch.seconds < load.seconds && sent - before < load.edits
            for index in 0..<writers {
                if isWriting {
                    write(upTo: load.window, atMost: load.edits - (sent - before), by: index)
                }
                try sendOutgoing(of: index)
            }
            if !isWriting, upToDate == readers { break }
            try receive()
        }
        return Outcome(edits: sent - before, seconds: watch.seconds)
    }

    /// For each of `edits` edits, the seconds from sending it until the last member has it.
    func latencies(edits: Int) throws -> [Double] {
        try giveSignsOfLife()
        return try (0..<edits).map { _ in
            let watch = Stopwatch()
            write(upTo: 1, atMost: 1, by: 0)
            try sendOutgoing(of: 0)
            while upToDate < readers { try receive() }
            let seconds = watch.seconds
            while seats[0].member.answered < seats[0].sent { try receive() }
            return seconds
        }
    }

    /// Sends heartbeats, so that members that only read don't time out. No edits may be in flight.
    private func giveSignsOfLife() throws {
        for index in seats.indices {
            writer.reset()
            seats[index].member.writeSignOfLife(to: &writer)
            seats[index].outgoing.append(contentsOf: writer.bytes)
            try sendOutgoing(of: index)
        }
    }

    /// Fills a writer's window.
    private func write(upTo window: Int, atMost limit: Int, by index: Int) {
        let count = min(limit, window - (seats[index].sent - seats[index].member.answered))
        guard count > 0 else { return }
        writer.reset()
        for _ in 0..<count { seats[index].member.writeEdit(to: &writer) }
        seats[index].sent += count
        sent += count
        upToDate = 0
        seats[index].outgoing.append(contentsOf: writer.bytes)
    }

    private func sendOutgoing(of index: Int) throws {
        guard !seats[index].outgoing.isEmpty else { return }
        let count = try seats[index].outgoing.withUnsafeBytes { bytes in
            try seats[index].socket.sendSome(bytes)
        }
        seats[index].outgoing.removeFirst(count)
    }

    private func receive() throws {
        var isSilent = true
        let patience = Int32(Socket.patienceSeconds * 1000)
        try sockets.wait(milliseconds: patience) { index in
            isSilent = false
            let bytes = try seats[index].socket.receive(into: memory)
            let wasUpToDate = seats[index].member.seen == sent
            try seats[index].member.receive(bytes)
            let isNewlyUpToDate = !wasUpToDate && seats[index].member.seen == sent
            if isNewlyUpToDate, seats[index].member.reads { upToDate += 1 }
        }
        if isSilent {
            let behind = readers - upToDate
            throw BenchError(
                "\(behind) members have not got all of \(sent) edits, and nothing comes")
        }
    }
}
