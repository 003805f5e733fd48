import SyncBytes

/// A server in figures: what it holds, how much it may, and what its turns came to. Sizes are in bytes;
/// what is counted is counted since the server started.
package struct ServerFigures: Sendable, Equatable {
    /// What connections hold: frames that have not come whole, input that waits, and output.
    package var connectionBytes: UInt64 = 0
    /// What rooms have under way: transactions, records, answers, and what members are sent in parts.
    package var queueBytes: UInt64 = 0
    /// Rooms: their items and sections, what they remember of the past, and their authors.
    package var roomBytes: UInt64 = 0
    /// Layouts, and what is on the screens of views.
    package var viewBytes: UInt64 = 0
    /// What members show each other, and drag.
    package var presenceBytes: UInt64 = 0
    /// Snapshots on their way to the store.
    package var storeBytes: UInt64 = 0
    /// Answers to requests that were not taken yet, and rooms replayed for them.
    package var readBytes: UInt64 = 0
    /// The most that all of these may come to; 0 if there is no limit.
    package var memoryLimit: UInt64 = 0
    /// How near that is: 0 far; 1 what can be made again goes; 2 only deletes are taken; 3 nothing is.
    package var pressure: UInt64 = 0
    /// How many connections there are, and open rooms.
    package var connections: UInt64 = 0
    package var openRooms: UInt64 = 0
    /// How many turns the loops took; how many of them left work for the next one; and the most steps of
    /// one.
    package var turns: UInt64 = 0
    package var fullTurns: UInt64 = 0
    package var largestTurn: UInt64 = 0
    /// How many transactions were applied by a worker, as they took more than a turn has.
    package var loans: UInt64 = 0
    /// How often a loop was held for longer than `--slow`.
    package var holds: UInt64 = 0
    /// Lines of the log that were dropped, as nobody read them, or left out, as there were many alike.
    package var droppedLogLines: UInt64 = 0
    /// What the store has on disk, and the most that it may have; 0 if there is no limit.
    package var diskBytes: UInt64 = 0
    package var diskLimit: UInt64 = 0

    package init() {}
}

extension ServerFigures {
    /// The figures, in the order of their field numbers from 1 on.
    package static var all: [(name: String, path: WritableKeyPath<Self, UInt64>)] {
        [
            ("connectionBytes", \.connectionBytes),
            ("queueBytes", \.queueBytes),
            ("roomBytes", \.roomBytes),
            ("viewBytes", \.viewBytes),
            ("presenceBytes", \.presenceBytes),
            ("storeBytes", \.storeBytes),
            ("readBytes", \.readBytes),
            ("memoryLimit", \.memoryLimit),
            ("pressure", \.pressure),
            ("connections", \.connections),
            ("openRooms", \.openRooms),
            ("turns", \.turns),
            ("fullTurns", \.fullTurns),
            ("largestTurn", \.largestTurn),
            ("loans", \.loans),
            ("holds", \.holds),
            ("droppedLogLines", \.droppedLogLines),
            ("diskBytes", \.diskBytes),
            ("diskLimit", \.diskLimit),
        ]
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init()
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            guard (1...ServerFigures.all.count).contains(field) else {
                try reader.skip()
                continue
            }
            self[keyPath: ServerFigures.all[field - 1].path] = try reader.uint64()
        }
    }

    func write(to writer: inout ByteWriter) {
        for (index, figure) in ServerFigures.all.enumerated() {
            writer.write(index + 1, nonzero: self[keyPath: figure.path])
        }
    }
}
