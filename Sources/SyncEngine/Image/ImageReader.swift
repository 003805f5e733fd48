import SyncBytes
import SyncModel
import SyncTree

/// Reads what ``ImageWriter`` wrote into an empty engine.
///
/// An image may come from anybody: a checksum finds damage, but everybody can compute one. So bytes
/// that are cut short, name what is not there, or contradict each other are an error and never a
/// trap. What is read keeps the engine's invariants, so no later edit, batch or move of the horizon
/// traps or runs for ever either. A number that contradicts nothing is read as it is.
///
/// A few bytes may make much: a revision that touched nothing takes eight bytes of the journal, and
/// a former content of four bytes has a copy of its thing's id, which takes 40 times as much. So
/// the memory is counted while it grows, every ``checkedElements`` elements, with what the reader
/// takes for itself.
///
/// # Performance
/// O(n) for n things, nodes and former contents, in time and in memory. The journal takes O(1) more
/// for each revision above the horizon (``Engine/retainedRevisions``).
struct ImageReader {
    var reader: ByteReader
    let engine: Engine
    private let mayTake: (Int) -> Bool
    var sequences: [OrderTree.SequenceID] = [0]
    var things: [ThingID] = [0]
    var nodes: [NodeID] = [0]
    private var nextAuthor: AuthorID = 0
    /// The number of each thing's last node.
    var lastNodes: [UInt64] = [0]
    /// When each section lived.
    var lives = SectionLives(sequences: 0)

    /// An image's highest revision. It leaves the room as many more as there were before.
    static let maximumRevision = NodeRecord.alive / 2

    /// The revision and horizon that an engine is made with.
    static func readHeader(
        _ reader: inout ByteReader
    ) throws(ImageError) -> (revision: Revision, horizon: Revision) {
        do {
            let format = try reader.readVarint()
            guard format == ImageWriter.format else { throw ImageError.unknownFormat(format) }
            return (try reader.readVarint(), try reader.readVarint())
        } catch {
            throw error as? ImageError ?? .malformed("the header is cut short")
        }
    }

    init(_ reader: ByteReader, into engine: Engine, within mayTake: @escaping (Int) -> Bool) {
        self.reader = reader
        self.engine = engine
        self.mayTake = mayTake
    }

    // MARK: Memory

    /// How many elements are read between two counts of the memory.
    private static let checkedElements = 256
    /// About how many bytes an author and a free slot take while they are read: the entry twice,
    /// its last base, its number in a set, and its slot in a table.
    private static let authorBytes = 160
    /// What is entered in the journal, and the buffer in which it is sorted.
    private static let touchedBytes = 36

    /// Fails if the engine and this reader, with so many bytes more, may not take so much memory.
    func checkMemory(and more: Int = 0) throws(ImageError) {
        let numbers = sequences.capacity + things.capacity + nodes.capacity
        let own = 4 * numbers + 8 * lastNodes.capacity + lives.byteCount
        guard mayTake(engine.byteCount + own + more) else { throw .tooLarge }
    }

    /// The same for an element of a list; most are not checked.
    func checkMemory(at index: Int, and more: Int = 0) throws(ImageError) {
        if index % ImageReader.checkedElements == 0 { try checkMemory(and: more) }
    }

    mutating func read() throws(ImageError) {
        do {
            try readAuthors()
            try readSequences()
            try readThings()
            try readNodes()
            try readVersions()
        } catch let error as ImageError {
            throw error
        } catch {
            throw .malformed("it is cut short")
        }
        guard reader.isAtEnd else { throw .malformed("there is more than an image") }
        try rebuildJournal()
        try checkMemory()
    }

    mutating func count(_ limit: Int) throws -> Int {
        // Everything counted takes at least one byte, so a count above the number of bytes left is
        // wrong.
        let count = try reader.readVarint()
        guard count <= UInt64(limit) else { throw ImageError.malformed("a count is too large") }
        return Int(count)
    }

    mutating func number(upTo limit: Int) throws -> Int {
        let number = try reader.readVarint()
        guard number <= UInt64(limit) else {
            throw ImageError.malformed("a number is out of range")
        }
        return Int(number)
    }

    private mutating func readAuthors() throws {
        nextAuthor = AuthorID(try number(upTo: Int(AuthorTable.maximumNumber)))
        var entries: [(entry: AuthorTable.Entry, lastBase: Revision)] = []
        var freeCount = 0
        for index in 0..<(try count(reader.count)) {
            try checkMemory(at: index, and: index * ImageReader.authorBytes)
            let bytes = try reader.readLengthDelimited()
            if bytes.isEmpty {
                freeCount += 1
                entries.append((AuthorTable.Entry(id: nil, number: 0), 0))
                continue
            }
            let id = try Identifier(bytes: bytes)
            let number = try readAuthor()
            entries.append(
                (AuthorTable.Entry(id: id, number: number), try reader.readVarint()))
        }
        var free: [UInt32] = []
        try checkMemory(and: entries.count * ImageReader.authorBytes)
        for _ in 0..<freeCount { free.append(UInt32(try number(upTo: entries.count))) }
        guard engine.authors.restore(entries, freeSlots: free, nextNumber: nextAuthor) else {
            throw ImageError.malformed("the authors do not fit together")
        }
    }

    private mutating func readSequences() throws {
        // Each has a node of its section.
        for index in 0..<(try count(reader.count / ImageWriter.leastNodeBytes)) {
            try checkMemory(at: index)
            sequences.append(engine.makeItemSequence())
        }
    }

    private mutating func readThings() throws {
        let count = try count(reader.count / ImageWriter.leastThingBytes)
        let thingBytes = MemoryLayout<ThingRecord>.stride + 12 + IdentifierTable.mostBytesOfID
        try checkMemory(and: count * thingBytes)
        engine.things.reserve(count)
        engine.itemTable.reserve(count)
        things.reserveCapacity(count + 1)
        lastNodes.reserveCapacity(count + 1)
        for index in 0..<count {
            try checkMemory(at: index)
            let id = try reader.readLengthDelimited()
            let content = try readContent()
            let tag = try reader.readByte()
            let sequence = sequences[try number(upTo: sequences.count - 1)]
            guard Identifier.isValid(id) else { throw ImageError.malformed("an id is not valid") }
            let body = engine.blobs.makeBody(id: id, content: content, tag: tag)
            let thing = engine.things.make(ThingRecord(body: body, sequence: sequence))
            lastNodes.append(try reader.readVarint())
            engine.things[thing].incarnation = UInt32(truncatingIfNeeded: try reader.readVarint())
            engine.things[thing].incarnationBorn = try reader.readVarint()
            engine.things[thing].incarnationAuthor = try readAuthor()
            engine.things[thing].deletion = UInt32(truncatingIfNeeded: try reader.readVarint())
            things.append(thing)
        }
        try enterIDs()
    }

    /// Enters the things under their ids. A slot of a large table is slow to reach, so slots are
    /// prefetched some things ahead.
    private func enterIDs() throws {
        let distance = 16
        for index in things.indices.dropFirst() {
            if index + distance < things.count {
                let (hash, table) = engine.hash(ofThing: things[index + distance])
                table.prefetchSlot(hash)
            }
            let (hash, table) = engine.hash(ofThing: things[index])
            let isKnown = engine.id(ofThing: things[index]) { id in
                table.find(hash) { other in engine.id(ofThing: other) { $0.hasSameBytes(as: id) } }
                    != 0
            }
            if isKnown { throw ImageError.malformed("an id occurs twice") }
            table.insert(things[index], hash: hash)
        }
    }

    mutating func readAuthor() throws -> AuthorID {
        AuthorID(try number(upTo: max(0, Int(nextAuthor) - 1)))
    }

    private mutating func readContent() throws -> UnsafeRawBufferPointer {
        let content = try reader.readLengthDelimited()
        guard content.count <= Engine.maximumContentBytes else {
            throw ImageError.malformed("a content is too large")
        }
        return content
    }

    private mutating func readVersions() throws {
        for index in 0..<(try count(reader.count)) {
            try checkMemory(at: index)
            let thing = things[try number(upTo: things.count - 1)]
            let revision = try reader.readVarint()
            let content = try readContent()
            let tag = try reader.readByte()
            guard thing != 0, revision > engine.horizon, revision <= engine.revision,
                revision <= engine.nodes[engine.things[thing].node].died
            else { throw ImageError.malformed("a former content has no thing, or is out of range") }
            let body = engine.blobs.makeBody(
                idOf: engine.things[thing].body, content: content, tag: tag)
            engine.things[thing].version = engine.versions.make(
                VersionRecord(
                    revision: revision, thing: thing, body: body,
                    previous: engine.things[thing].version))
        }
    }

    /// Rebuilds the journal from the nodes and versions, which have the revisions that touched
    /// them.
    private func rebuildJournal() throws(ImageError) {
        var touched: [(revision: Revision, rank: Int, entry: Journal.Entry)] = []
        var count = Int(engine.versions.end) - 1
        for node in nodes.dropFirst() {
            let record = engine.nodes[node]
            if record.born > engine.horizon { count += 1 }
            if record.died != NodeRecord.alive { count += 1 }
        }
        let revisions = Int(engine.revision - engine.horizon)
        try checkMemory(
            and: count * (ImageReader.touchedBytes + Journal.mostBytesOfEntry)
                + revisions * Journal.mostBytesOfRevision)
        touched.reserveCapacity(count)
        for node in nodes.dropFirst() {
            let record = engine.nodes[node]
            // A section must be swept after its items, and a thing's last node after its others.
            let isLast = engine.things[record.thing].node == node
            let rank = (engine.things[record.thing].isSection ? 2 : 0) + (isLast ? 1 : 0)
            if record.born > engine.horizon { touched.append((record.born, rank, .birth(node))) }
            if record.died != NodeRecord.alive { touched.append((record.died, rank, .death(node))) }
        }
        for version in 1..<engine.versions.end {
            let revision = engine.versions[version].revision
            touched.append((revision, 4, Journal.Entry.content(version)))
        }
        touched.sort { ($0.revision, $0.rank) < ($1.revision, $1.rank) }
        var next = 0
        var revision = engine.horizon
        while revision < engine.revision {
            revision += 1
            while next < touched.count, touched[next].revision == revision {
                engine.journal.append(touched[next].entry)
                next += 1
            }
            engine.journal.endRevision()
        }
    }
}

extension Engine {
    /// Makes an engine from an image. O(n).
    ///
    /// - Parameter mayTake: whether the engine may take so many bytes of memory. It is asked while
    ///   the engine grows, with more each time but for what the reader gives back. If it says no,
    ///   reading ends with ``ImageError/tooLarge``.
    package convenience init(
        image: UnsafeRawBufferPointer, within mayTake: @escaping (Int) -> Bool = { _ in true }
    ) throws(ImageError) {
        var reader = ByteReader(image)
        let (revision, horizon) = try ImageReader.readHeader(&reader)
        guard horizon <= revision, revision <= ImageReader.maximumRevision else {
            throw .malformed("the revision or the horizon is out of range")
        }
        guard revision - horizon <= 2 * Engine.retainedRevisions else {
            throw .malformed("the horizon is too far back")
        }
        guard mayTake(Journal.mostBytesOfRevision * Int(revision - horizon)) else {
            throw .tooLarge
        }
        self.init(emptyAt: revision, horizon: horizon)
        var image = ImageReader(reader, into: self, within: mayTake)
        try image.read()
        rollback.clear()
        retainedBytes = countRetainedBytes()
    }
}
