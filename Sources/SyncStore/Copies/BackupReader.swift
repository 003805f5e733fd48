import SyncAccess
import SyncBytes
package import SyncModel

/// Reads a backup (``BackupFormat``) piece by piece, and checks all that can be checked without
/// knowing what a room is.
///
/// The stream may come from anybody. Invariants:
/// 1. Memory is allocated only for bytes that have come, at most twice as much, and
///    ``firstStepBytes``. A snapshot's parts are decompressed one at a time. Of a room that has
///    come, only its name stays, which takes less than the room's pieces do.
/// 2. A piece is returned only if its checksum is right and it follows from the pieces before it.
/// 3. ``next()`` returns `nil` only after a right end piece that nothing follows.
package struct BackupReader {
    package enum Piece {
        /// Lines with revocations, before all rooms.
        case revocations([UInt8])
        /// A room begins.
        case room(LogState)
        case snapshot(SnapshotHeader)
        case part(UnsafeRawBufferPointer)
        case record(LogRecord)
    }

    /// Fills some of the memory, and returns how much; 0 at the end.
    package typealias Source = (UnsafeMutableRawBufferPointer) throws(StoreError) -> Int

    /// The room that is being read.
    private struct Room {
        var state: LogState
        var snapshotsLeft: UInt64
        var lastSnapshot: UInt64 = 0
        var parts: PartCheck?
        var nextSequence: UInt64
        var nextRevision: UInt64?
    }

    /// How many bytes are asked for at least, whatever length a piece claims.
    package static let firstStepBytes = 1 << 16

    private let source: Source
    private var checksum: UInt32 = 0
    private var body: [UInt8] = []
    private var counts = BackupCounts()
    private var room: Room?
    /// The rooms that have come. Their order means nothing.
    private var names: Set<RoomName> = []
    private var hasHeader = false
    /// Whether the next piece must be the one with revocations; no other may be.
    private var expectsRevocations = false
    private var isAtEnd = false

    package init(_ source: @escaping Source) {
        self.source = source
    }

    /// The next piece; `nil` after the end. A part's bytes are valid until the next call.
    package mutating func next(
        _ take: (Piece) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        if isAtEnd { return false }
        if !hasHeader { try readHeader() }
        let (kind, numbers) = try readPiece()
        let rest = body.count - numbers.count * 8
        guard (kind == .revocations) == expectsRevocations else {
            throw .badCopy("its revocations are missing, or at a wrong place")
        }
        switch kind {
        case .header: throw .badCopy("it begins twice")
        case .revocations: try take(.revocations(try revocations()))
        case .entry: try take(.room(try beginRoom(numbers)))
        case .snapshot: try take(.snapshot(try beginSnapshot(numbers)))
        case .part:
            try addPart()
            let failure: StoreError? = body.withUnsafeBytes { bytes in
                do throws(StoreError) {
                    try take(.part(bytes))
                    return nil
                } catch { return error }
            }
            if let failure { throw failure }
        case .record: try take(.record(try record(numbers, bodyBytes: rest)))
        case .end:
            try end(numbers)
            return false
        }
        return true
    }

    // MARK: Pieces

    private mutating func readHeader() throws(StoreError) {
        try read(BackupFormat.markBytes)
        let isMarked = BackupFormat.mark.withUTF8Buffer { $0.elementsEqual(body) }
        guard isMarked else { throw .badCopy("it is no copy of a store") }
        let (kind, numbers) = try readPiece()
        guard kind == .header else { throw .badCopy("it has no header") }
        switch numbers[0] {
        case BackupFormat.version: break
        case BackupFormat.versionWithRevocations: expectsRevocations = true
        default:
            throw .badCopy(
                "it has version \(numbers[0]), but this program knows versions up to"
                    + " \(BackupFormat.versionWithRevocations)")
        }
        hasHeader = true
    }

    private mutating func revocations() throws(StoreError) -> [UInt8] {
        expectsRevocations = false
        let text = RevocationText(body)
        guard text.wrongLines == 0, text.lines == body, text.lineCount > 0 else {
            throw .badCopy("a line of its revocations is none, or there are too many")
        }
        counts.revocations = UInt64(text.lineCount)
        return body
    }

    /// Reads a piece whose checksum is right.
    private mutating func readPiece() throws(StoreError) -> (BackupFormat.Kind, [UInt64]) {
        try read(BackupFormat.headBytes)
        let (first, length, stored) = body.withUnsafeBytes { bytes in
            (
                bytes[0],
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self)),
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt32.self))
            )
        }
        guard let kind = BackupFormat.Kind(rawValue: first) else {
            throw .badCopy("a piece is of no known kind")
        }
        let numberBytes = kind.numberCount * 8
        guard length >= numberBytes, length <= numberBytes + kind.mostBytes else {
            throw .badCopy("a piece has an impossible length, \(length)")
        }
        try read(Int(length))
        checksum = BackupFormat.checksum(after: checksum, kind, length: length)
        checksum = body.withUnsafeBytes { Checksum.extend(checksum, with: $0) }
        guard checksum == stored else { throw .badCopy("a piece is damaged") }
        let numbers = body.withUnsafeBytes { bytes in
            (0..<kind.numberCount).map {
                UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
            }
        }
        // The store keeps numbers signed.
        guard numbers.allSatisfy({ $0 <= LogState.maximumNumber }) else {
            throw .badCopy("a number is too large")
        }
        return (kind, numbers)
    }

    /// Reads so many bytes into ``body``.
    private mutating func read(_ count: Int) throws(StoreError) {
        body.removeAll(keepingCapacity: true)
        while body.count < count {
            let step = min(count - body.count, max(Self.firstStepBytes, body.count))
            var chunk = [UInt8](repeating: 0, count: step)
            var filled = 0
            while filled < step {
                let read = try fill(&chunk, from: filled)
                guard read > 0 else { throw .badCopy("it is cut short") }
                filled += read
            }
            body += chunk
        }
    }

    private func fill(_ chunk: inout [UInt8], from offset: Int) throws(StoreError) -> Int {
        let result: Result<Int, StoreError> = chunk.withUnsafeMutableBytes { bytes in
            Result { () throws(StoreError) in
                try source(UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
            }
        }
        return try result.get()
    }
}

// MARK: - Their order

extension BackupReader {
    private mutating func beginRoom(_ numbers: [UInt64]) throws(StoreError) -> LogState {
        try endRoom()
        let name = body.withUnsafeBytes { bytes in
            RoomName(bytes: UnsafeRawBufferPointer(rebasing: bytes[(numbers.count * 8)...]))
        }
        guard let name else { throw .badCopy("a room's name can't be one") }
        guard names.insert(name).inserted else { throw .badCopy("room '\(name)' comes twice") }
        var state = LogState(name: name, createdMilliseconds: numbers[0])
        state.changedMilliseconds = numbers[1]
        state.firstSequence = numbers[2]
        state.lastSequence = numbers[3]
        state.lastRevision = numbers[4]
        state.logBytes = numbers[5]
        state.snapshotBytes = numbers[6]
        guard state.isPossible, state.lastSequence > 0,
            state.firstSequence == 1 || numbers[7] > 0
        else { throw .badCopy("the entry of room '\(name)' says what can't be") }
        room = Room(
            state: state, snapshotsLeft: numbers[7], nextSequence: state.firstSequence,
            nextRevision: state.firstSequence == 1 ? 1 : nil)
        counts.rooms += 1
        return state
    }

    private mutating func beginSnapshot(_ numbers: [UInt64]) throws(StoreError) -> SnapshotHeader {
        guard var room, room.snapshotsLeft > 0, room.nextSequence == room.state.firstSequence,
            room.parts?.isWhole ?? true, numbers[5] <= UInt64(UInt32.max)
        else { throw .badCopy("a snapshot is at a wrong place") }
        let header = SnapshotHeader(
            sequence: numbers[0], revision: numbers[1], trustedMilliseconds: numbers[2],
            size: numbers[3], storedBytes: numbers[4], bodyChecksum: UInt32(numbers[5]))
        let state = room.state
        guard header.isPossible, header.sequence > room.lastSnapshot,
            header.sequence <= state.lastSequence, header.sequence + 1 >= state.firstSequence,
            header.revision <= state.lastRevision
        else { throw .badCopy("a snapshot is not of the log of room '\(state.name)'") }
        room.snapshotsLeft -= 1
        room.lastSnapshot = header.sequence
        room.parts = PartCheck(of: header)
        counts.snapshots += 1
        self.room = room
        return header
    }

    private mutating func addPart() throws(StoreError) {
        guard let parts = room?.parts, !parts.isWhole || parts.count == 0 else {
            throw .badCopy("a part of a snapshot is at a wrong place")
        }
        let isRight = body.withUnsafeBytes { bytes in
            room?.parts?.add(bytes) ?? false
        }
        guard isRight else { throw .badCopy("a part of a snapshot can't be read") }
        counts.parts += 1
    }

    private mutating func record(
        _ numbers: [UInt64], bodyBytes: Int
    ) throws(StoreError) -> LogRecord {
        let record = LogRecord(
            sequence: numbers[0], firstRevision: numbers[1], lastRevision: numbers[2],
            wallClockMilliseconds: numbers[3],
            body: body.withUnsafeBytes {
                SharedBytes(copying: UnsafeRawBufferPointer(rebasing: $0.suffix(bodyBytes)))
            })
        guard var room, room.snapshotsLeft == 0, room.parts?.isWhole ?? true, record.isPossible,
            record.sequence == room.nextSequence, record.sequence <= room.state.lastSequence,
            record.firstRevision == room.nextRevision ?? record.firstRevision,
            record.lastRevision <= room.state.lastRevision
        else { throw .badCopy("a record is at a wrong place") }
        room.nextSequence += 1
        room.nextRevision = record.lastRevision + 1
        counts.records += 1
        self.room = room
        return record
    }

    private mutating func endRoom() throws(StoreError) {
        guard let room else { return }
        guard room.snapshotsLeft == 0, room.parts?.isWhole ?? true,
            room.nextSequence == room.state.lastSequence + 1,
            room.nextRevision.map({ $0 == room.state.lastRevision + 1 }) ?? true
        else { throw .badCopy("room '\(room.state.name)' is not whole") }
    }

    private mutating func end(_ numbers: [UInt64]) throws(StoreError) {
        try endRoom()
        guard numbers == [counts.rooms, counts.snapshots, counts.parts, counts.records] else {
            throw .badCopy("something is left out")
        }
        var byte = [UInt8](repeating: 0, count: 1)
        guard try fill(&byte, from: 0) == 0 else { throw .badCopy("there is more behind its end") }
        isAtEnd = true
    }
}
