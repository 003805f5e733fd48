import SyncBytes
import SyncModel
import SyncTree

/// Writes all of an engine's state: what lives, and the dead nodes and former contents within the
/// horizon.
///
/// Nodes are numbered from 1 in the order of their sequences, sections before items, and things in
/// the order in which nodes first name them, so that reading fills memory in the order of use.
/// Everything is a varint or length-delimited bytes.
struct ImageWriter: ~Copyable {
    static let format: UInt64 = 2

    /// The fewest bytes that a thing and a node take: one for each number and length.
    static let leastThingBytes = 9
    static let leastNodeBytes = 8

    private let engine: Engine
    private var writer = ByteWriter(capacity: 1 << 16)
    /// The numbers of nodes, things and sequences in the image, by their numbers in the engine.
    private var nodeNumbers: [UInt32]
    private var thingNumbers: [UInt32]
    private var sequenceNumbers: [UInt32]
    private var nodeOrder: [NodeID] = []
    private var thingOrder: [ThingID] = []
    private var sequenceOrder: [OrderTree.SequenceID] = []

    /// How an origin is written: as the start, as a forgotten node, or as a node's number plus
    /// `firstNode`.
    enum OriginCode {
        static let start: UInt64 = 0
        static let forgotten: UInt64 = 1
        static let firstNode: UInt64 = 2
    }

    init(_ engine: Engine) {
        self.engine = engine
        nodeNumbers = Array(repeating: 0, count: Int(engine.nodes.end))
        thingNumbers = Array(repeating: 0, count: Int(engine.things.end))
        sequenceNumbers = Array(repeating: 0, count: engine.sectionOfSequence.count)
        numberNodes(of: engine.sectionSequence)
        for node in nodeOrder {
            let sequence = engine.nodes[node].sequence
            if sequenceNumbers[Int(sequence)] == 0 {
                sequenceOrder.append(sequence)
                sequenceNumbers[Int(sequence)] = UInt32(sequenceOrder.count)
            }
        }
        for sequence in sequenceOrder { numberNodes(of: sequence) }
    }

    private mutating func numberNodes(of sequence: OrderTree.SequenceID) {
        var node = engine.tree.first(sequence)
        while node != 0 {
            nodeOrder.append(node)
            nodeNumbers[Int(node)] = UInt32(nodeOrder.count)
            let thing = engine.nodes[node].thing
            if thingNumbers[Int(thing)] == 0 {
                thingOrder.append(thing)
                thingNumbers[Int(thing)] = UInt32(thingOrder.count)
            }
            node = engine.tree.next(node)
        }
    }

    consuming func write() -> [UInt8] {
        writer.write(varint: ImageWriter.format)
        writer.write(varint: engine.revision)
        writer.write(varint: engine.horizon)
        writeAuthors()
        writer.write(varint: UInt64(sequenceOrder.count))
        writeThings()
        writeNodes()
        writeVersions()
        return writer.makeArray()
    }

    private mutating func writeAuthors() {
        writer.write(varint: UInt64(engine.authors.nextNumber))
        let entries = engine.authors.entries
        writer.write(varint: UInt64(entries.count))
        for (slot, entry) in entries.enumerated() {
            guard let id = entry.id else {
                writer.write(varint: 0)
                continue
            }
            id.withBytes { write($0) }
            writer.write(varint: UInt64(entry.number))
            writer.write(varint: engine.authors[lastBase: UInt32(slot)])
        }
        // All of them, in their order: the last one is used next.
        for slot in engine.authors.freeSlots { writer.write(varint: UInt64(slot)) }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
        writer.write(varint: UInt64(bytes.count))
        writer.write(contentsOf: bytes)
    }

    private mutating func writeThings() {
        writer.write(varint: UInt64(thingOrder.count))
        for thing in thingOrder {
            let record = engine.things[thing]
            let body = Body(engine.blobs.bytes(record.body))
            write(body.id)
            write(body.content)
            writer.write(byte: engine.blobs.tag(record.body))
            writer.write(varint: UInt64(sequenceNumbers[Int(record.sequence)]))
            writer.write(varint: UInt64(nodeNumbers[Int(record.node)]))
            writer.write(varint: UInt64(record.incarnation))
            writer.write(varint: record.incarnationBorn)
            writer.write(varint: UInt64(record.incarnationAuthor))
            writer.write(varint: UInt64(record.deletion))
        }
    }

    private mutating func writeNodes() {
        writer.write(varint: UInt64(nodeOrder.count))
        for node in nodeOrder {
            let record = engine.nodes[node]
            writer.write(varint: UInt64(thingNumbers[Int(record.thing)]))
            writer.write(varint: UInt64(sequenceNumbers[Int(record.sequence)]))
            writer.write(varint: record.born)
            writer.write(varint: record.died == NodeRecord.alive ? 0 : record.died)
            writer.write(varint: UInt64(record.author))
            writer.write(varint: UInt64(record.incarnation))
            writer.write(varint: originCode(of: record))
            writer.write(varint: UInt64(nodeNumbers[Int(engine.previous(of: node))]))
        }
    }

    private func originCode(of record: NodeRecord) -> UInt64 {
        if record.origin == 0 { return OriginCode.start }
        let origin = engine.nodes[record.origin]
        guard origin.thing != 0, origin.born <= record.born else { return OriginCode.forgotten }
        return UInt64(nodeNumbers[Int(record.origin)]) + OriginCode.firstNode
    }

    private mutating func writeVersions() {
        let versions = engine.journal.entries(after: engine.horizon).compactMap(\.version)
        writer.write(varint: UInt64(versions.count))
        for version in versions {
            let record = engine.versions[version]
            writer.write(varint: UInt64(thingNumbers[Int(record.thing)]))
            writer.write(varint: record.revision)
            write(Body(engine.blobs.bytes(record.body)).content)
            writer.write(byte: engine.blobs.tag(record.body))
        }
    }
}

extension Engine {
    /// Writes the engine's whole state, to go on from later. O(n).
    package func encodeImage() -> [UInt8] {
        sweep(atMost: .max)
        return ImageWriter(self).write()
    }
}
