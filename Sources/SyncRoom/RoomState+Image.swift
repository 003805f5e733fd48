package import SyncBytes
import SyncEngine
import SyncModel
import SyncWire

/// A room's state as an image, which a store keeps as a snapshot:
///
///     image  = format sequence length identity length engine evictedThrough author*
///     author = secret length user lastCounter forgottenThrough count result*
///     result = counter kind revision [ count loss* ]     -- the losses if the kind has them
///
/// The authors are those of the engine, in the order of their slots. All numbers are varints. A
/// result's counter is the difference to the one before. A secret is its hash of 16 bytes. Each
/// loss has a length before it.
extension RoomState {
    private static let format: UInt64 = 4

    private enum ResultKind: UInt8 {
        case commit = 0
        case commitWithLosses = 1
        case commitWithForgottenLosses = 2
    }

    /// The whole state, as an image. O(n).
    package func encodeImage() -> SharedBytes {
        var writer = ByteWriter(capacity: 1 << 16)
        writer.write(varint: RoomState.format)
        writer.write(varint: sequence)
        let mark = writer.beginLengthDelimited()
        loggedIdentity?.writeImage(to: &writer)
        writer.endLengthDelimited(mark)
        engine.encodeImage().withUnsafeBytes { writer.write(lengthAnd: $0) }
        writer.write(varint: authors.evictedThrough)
        for record in authors.records where record.author != nil {
            RoomState.write(record, to: &writer)
        }
        return SharedBytes(copying: writer.bytes)
    }

    private static func write(_ record: Authors.Record, to writer: inout ByteWriter) {
        record.secret.write(to: &writer)
        writer.write(lengthAnd: record.user.text)
        writer.write(varint: record.lastCounter)
        writer.write(varint: record.forgottenThrough)
        let results = record.results[record.start...]
        writer.write(varint: UInt64(results.count))
        var counter: UInt64 = 0
        for result in results {
            writer.write(varint: result.counter - counter)
            counter = result.counter
            write(result, to: &writer)
        }
    }

    private static func write(_ result: Authors.Result, to writer: inout ByteWriter) {
        var kind = ResultKind.commit
        var losses: [Superseded] = []
        switch result.details?.outcome {
        case nil: break
        case .committed(let commit): (kind, losses) = (.commitWithLosses, commit.superseded)
        case .rejected: kind = .commitWithForgottenLosses
        }
        writer.write(byte: kind.rawValue)
        writer.write(varint: result.revision)
        guard kind == .commitWithLosses else { return }
        writer.write(varint: UInt64(losses.count))
        for loss in losses {
            let mark = writer.beginLengthDelimited()
            loss.write(to: &writer)
            writer.endLengthDelimited(mark)
        }
    }

    /// Makes a state from an image. O(n).
    ///
    /// - Parameter mayTake: whether the state may take so many bytes of memory, see ``Engine``. If
    ///   not, reading ends with ``RoomError/tooLarge``.
    package convenience init(
        image: UnsafeRawBufferPointer, within mayTake: @escaping (Int) -> Bool = { _ in true }
    ) throws(RoomError) {
        var reader = ByteReader(image)
        do {
            let format = try reader.readVarint()
            guard format == RoomState.format else { throw RoomError.unknownFormat(format) }
            let sequence = try reader.readVarint()
            guard sequence < .max else {
                throw RoomError.malformed("no record can follow an image")
            }
            let identity = try RoomState.readIdentity(&reader)
            let engine = try Engine(image: try reader.readLengthDelimited(), within: mayTake)
            var authors = Authors(evictedThrough: try reader.readVarint())
            guard authors.evictedThrough <= engine.revision else {
                throw RoomError.malformed("an author of an image was evicted above its revision")
            }
            for author in engine.allAuthors {
                let bytes = engine.byteCount + authors.byteCount
                authors.enter(
                    try RoomState.readRecord(&reader, of: author) { more throws(RoomError) in
                        guard mayTake(bytes + more) else { throw .tooLarge }
                    })
            }
            authors.rebuildRecent()
            guard mayTake(engine.byteCount + authors.byteCount) else { throw RoomError.tooLarge }
            guard reader.isAtEnd else { throw RoomError.malformed("there is more than an image") }
            guard identity?.epochs.last?.first ?? 0 <= engine.revision else {
                throw RoomError.malformed("an epoch of an image begins above its revision")
            }
            self.init(engine: engine, authors: authors, sequence: sequence, identity: identity)
        } catch {
            throw RoomError(error)
        }
    }

    private static func readIdentity(_ reader: inout ByteReader) throws -> RoomIdentity? {
        let bytes = try reader.readLengthDelimited()
        if bytes.isEmpty { return nil }
        guard let identity = RoomIdentity(image: bytes) else {
            throw RoomError.malformed("the identity in an image can't be read")
        }
        return identity
    }

    /// - Parameter check: fails if so many bytes more may not be taken.
    private static func readRecord(
        _ reader: inout ByteReader, of author: Authors.Author,
        _ check: (Int) throws(RoomError) -> Void
    ) throws -> Authors.Record {
        guard let secret = SecretHash(bytes: try reader.readBytes(SecretHash.byteCount)) else {
            throw RoomError.malformed("a secret's hash in an image can't be read")
        }
        guard let user = UserName(bytes: try reader.readLengthDelimited()) else {
            throw RoomError.malformed("a user's name in an image can't be read")
        }
        let lastCounter = try reader.readVarint()
        let forgottenThrough = try reader.readVarint()
        guard forgottenThrough <= lastCounter else {
            throw RoomError.malformed("the counters of an image do not grow")
        }
        var results: [Authors.Result] = []
        var counter: UInt64 = 0
        var detailBytes = 0
        try check(0)
        for _ in 0..<(try reader.readVarint()) {
            let (next, overflows) = counter.addingReportingOverflow(try reader.readVarint())
            guard !overflows, next > max(counter, forgottenThrough), next <= lastCounter else {
                throw RoomError.malformed("the counters of an image do not grow")
            }
            counter = next
            let result = try readResult(&reader, counter) { count throws(RoomError) in
                try check(detailBytes + count * 2 * MemoryLayout<Superseded>.stride)
            }
            results.append(result)
            detailBytes += result.detailBytes
            if results.count % checkedResults == 0 {
                try check(detailBytes + 2 * results.capacity * MemoryLayout<Authors.Result>.stride)
            }
        }
        return Authors.Record(
            author, secret: secret, user: user, lastCounter: lastCounter,
            forgottenThrough: forgottenThrough, results: results)
    }

    /// How many results, or losses of one, are read between two counts of the memory.
    private static let checkedResults = 256

    /// - Parameter check: fails if so many losses may not be taken.
    private static func readResult(
        _ reader: inout ByteReader, _ counter: UInt64, _ check: (Int) throws(RoomError) -> Void
    ) throws -> Authors.Result {
        guard let kind = ResultKind(rawValue: try reader.readByte()) else {
            throw RoomError.malformed("a result of an image is of no known kind")
        }
        var commit = Commit(revision: try reader.readVarint())
        if kind == .commitWithLosses {
            for _ in 0..<(try reader.readVarint()) {
                commit.superseded.append(
                    try Superseded(parsing: try reader.readLengthDelimited()))
                if commit.superseded.count % checkedResults == 0 {
                    try check(commit.superseded.count)
                }
            }
        }
        var result = Authors.Result(counter: counter, .committed(commit))
        if kind == .commitWithForgottenLosses { result.details = .forgottenLosses }
        return result
    }
}

extension RoomError {
    /// Maps any error while an image is read.
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as RoomError: self = error
        case ImageError.unknownFormat(let format): self = .unknownFormat(format)
        case ImageError.tooLarge: self = .tooLarge
        case ImageError.malformed(let what): self = .malformed(what)
        default: self = .malformed("an image is cut short")
        }
    }
}
