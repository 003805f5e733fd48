import SyncBytes
import SyncIO
import SyncModel
import SyncStore
import Testing

/// The stores that each suite tests.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite

    var testDescription: String { rawValue }
}

/// A store whose calls run and complete on the test's thread.
final class StoreFixture {
    let kind: StoreKind
    let folder = TemporaryFolder()
    private(set) var worker = ManualWorker()
    private(set) var store: WorkerStore
    private let options: SQLiteOptions

    init(_ kind: StoreKind, options: SQLiteOptions = SQLiteOptions(syncMode: .relaxed)) throws {
        self.kind = kind
        self.options = options
        store = try Self.open(kind, folder.path, options, worker)
        worker.runAll()
    }

    deinit {
        store.finish()
    }

    private static func open(
        _ kind: StoreKind, _ path: String, _ options: SQLiteOptions, _ worker: ManualWorker
    ) throws -> WorkerStore {
        switch kind {
        case .memory: .memory(worker: worker)
        case .sqlite:
            try .sqlite(directory: path, options: options, worker: worker, reader: worker)
        }
    }

    /// Closes and reopens the store; a store in memory stays as it is.
    func reopen() throws {
        switch kind {
        case .memory: break
        case .sqlite:
            store.finish()
            worker = ManualWorker()
            store = try Self.open(kind, folder.path, options, worker)
            worker.runAll()
        }
    }

    /// Opens the files that a killed process leaves.
    func crash() throws {
        switch kind {
        case .memory: break
        case .sqlite:
            let left = TemporaryFolder()
            Files.copyStore(from: folder.path, to: left.path)
            store.finish()
            Files.copyStore(from: left.path, to: folder.path)
            try reopen()
        }
    }

    /// Makes a call and has the worker complete it.
    func ask<Value: Sendable>(
        _ call: (WorkerStore, @escaping StoreCompletion<Value>) -> Void
    ) throws -> Result<Value, StoreError> {
        let answer = Answer<Value>()
        call(store, answer.completion)
        worker.runAll()
        return try #require(answer.value)
    }

    func append(_ record: LogRecord, to room: RoomName) throws -> Result<Void, StoreError> {
        try ask { $0.append(record, to: room, completion: $1) }
    }

    func open(
        _ room: RoomName, admitting mayRead: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) throws -> Result<StoredRoom?, StoreError> {
        try ask { $0.open(room: room, admitting: mayRead, completion: $1) }
    }

    func readLog(
        _ room: RoomName, after sequence: UInt64, limitBytes: Int = .max,
        admitting mayRead: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) throws -> Result<LogPage, StoreError> {
        try ask {
            $0.readLog(
                room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead,
                completion: $1)
        }
    }

    func save(_ snapshot: StoredSnapshot, of room: RoomName) throws -> Result<Void, StoreError> {
        try ask { $0.saveSnapshot(snapshot, of: room, completion: $1) }
    }

    func readSnapshot(
        _ room: RoomName, atOrBelow revision: UInt64,
        admitting mayRead: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) throws -> Result<StoredSnapshot?, StoreError> {
        try ask {
            $0.readSnapshot(
                room: room, atOrBelowRevision: revision, admitting: mayRead, completion: $1)
        }
    }

    func oldestRevision(_ room: RoomName) throws -> Result<UInt64, StoreError> {
        try ask { $0.oldestRevision(of: room, completion: $1) }
    }

    func compact(_ room: RoomName, olderThan cutoff: UInt64) throws -> Result<Void, StoreError> {
        try ask {
            $0.compact(room: room, olderThanTrustedMilliseconds: cutoff, completion: $1)
        }
    }

    func delete(_ room: RoomName) throws -> Result<Void, StoreError> {
        try ask { $0.deleteRoom(room, completion: $1) }
    }

    func summary(_ room: RoomName) throws -> Result<StoredRoomSummary?, StoreError> {
        try ask { $0.summary(of: room, completion: $1) }
    }

    func rooms() throws -> Result<[StoredRoomSummary], StoreError> {
        try ask { $0.rooms(completion: $1) }
    }
}

/// Receives the result of a completion.
final class Answer<Value: Sendable>: Sendable {
    private let result = Monitor<Result<Value, StoreError>?>(nil)

    var value: Result<Value, StoreError>? {
        result.withLock { $0 }
    }

    var completion: StoreCompletion<Value> {
        { result in
            self.result.withLock { stored in
                #expect(stored == nil, "a completion is called once")
                stored = result
            }
        }
    }
}

extension Result where Failure == StoreError {
    var error: StoreError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
