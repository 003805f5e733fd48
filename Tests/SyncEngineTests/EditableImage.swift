import SyncBytes

/// An engine's image taken apart, so that a test can change its numbers. It follows `ImageWriter`.
struct EditableImage {
    struct Thing {
        var id: [UInt8]
        var content: [UInt8]
        var tag: UInt8
        /// In the order of the image.
        var sequence, lastNode, incarnation, incarnationBorn, incarnationAuthor, deletion: UInt64

        static let numbers: [any WritableKeyPath<Thing, UInt64> & Sendable] = [
            \.sequence, \.lastNode, \.incarnation, \.incarnationBorn, \.incarnationAuthor,
            \.deletion,
        ]
    }

    struct Node {
        /// In the order of the image. `died` is 0 while the node lives.
        var thing, sequence, born, died, author, incarnation, origin, previous: UInt64

        static let numbers: [any WritableKeyPath<Node, UInt64> & Sendable] = [
            \.thing, \.sequence, \.born, \.died, \.author, \.incarnation, \.origin, \.previous,
        ]
    }

    struct Version {
        var thing: UInt64
        var revision: UInt64
        var content: [UInt8]
        var tag: UInt8
    }

    private let format: UInt64
    var revision: UInt64
    var horizon: UInt64
    private let authors: [UInt8]
    var sequenceCount: UInt64
    /// Thing 1 is at index 0.
    var things: [Thing] = []
    /// Node 1 is at index 0.
    var nodes: [Node] = []
    var versions: [Version] = []

    init(_ bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try EditableImage(ByteReader($0)) }
    }

    private init(_ start: ByteReader) throws {
        var reader = start
        format = try reader.readVarint()
        revision = try reader.readVarint()
        horizon = try reader.readVarint()
        let rest = reader.rest
        try EditableImage.skipAuthors(&reader)
        authors = [UInt8](rest.prefix(rest.count - reader.count))
        sequenceCount = try reader.readVarint()
        for _ in 0..<(try reader.readVarint()) {
            things.append(
                Thing(
                    id: [UInt8](try reader.readLengthDelimited()),
                    content: [UInt8](try reader.readLengthDelimited()),
                    tag: try reader.readByte(), sequence: try reader.readVarint(),
                    lastNode: try reader.readVarint(), incarnation: try reader.readVarint(),
                    incarnationBorn: try reader.readVarint(),
                    incarnationAuthor: try reader.readVarint(),
                    deletion: try reader.readVarint()))
        }
        for _ in 0..<(try reader.readVarint()) {
            nodes.append(
                Node(
                    thing: try reader.readVarint(), sequence: try reader.readVarint(),
                    born: try reader.readVarint(), died: try reader.readVarint(),
                    author: try reader.readVarint(), incarnation: try reader.readVarint(),
                    origin: try reader.readVarint(), previous: try reader.readVarint()))
        }
        for _ in 0..<(try reader.readVarint()) {
            versions.append(
                Version(
                    thing: try reader.readVarint(), revision: try reader.readVarint(),
                    content: [UInt8](try reader.readLengthDelimited()),
                    tag: try reader.readByte()))
        }
    }

    private static func skipAuthors(_ reader: inout ByteReader) throws {
        _ = try reader.readVarint()
        var freeCount = 0
        for _ in 0..<(try reader.readVarint()) {
            if try reader.readLengthDelimited().isEmpty {
                freeCount += 1
            } else {
                for _ in 0..<2 { _ = try reader.readVarint() }
            }
        }
        for _ in 0..<freeCount { _ = try reader.readVarint() }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        for number in [format, revision, horizon] { writer.write(varint: number) }
        writer.write(contentsOf: authors)
        writer.write(varint: sequenceCount)
        writer.write(varint: UInt64(things.count))
        for thing in things {
            for bytes in [thing.id, thing.content] {
                writer.write(varint: UInt64(bytes.count))
                writer.write(contentsOf: bytes)
            }
            writer.write(byte: thing.tag)
            for number in Thing.numbers { writer.write(varint: thing[keyPath: number]) }
        }
        writer.write(varint: UInt64(nodes.count))
        for node in nodes {
            for number in Node.numbers { writer.write(varint: node[keyPath: number]) }
        }
        writer.write(varint: UInt64(versions.count))
        for version in versions {
            writer.write(varint: version.thing)
            writer.write(varint: version.revision)
            writer.write(varint: UInt64(version.content.count))
            writer.write(contentsOf: version.content)
            writer.write(byte: version.tag)
        }
        return writer.makeArray()
    }

    // MARK: Finding

    /// The index in ``things`` of the thing with an id.
    func index(of id: String) -> Int {
        things.firstIndex { $0.id == Array(id.utf8) } ?? things.count
    }

    /// The index in ``nodes`` of a thing's last node.
    func lastNode(of id: String) -> Int { Int(things[index(of: id)].lastNode) - 1 }

    /// The index in ``nodes`` of the node before a thing's last one.
    func formerNode(of id: String) -> Int { Int(nodes[lastNode(of: id)].previous) - 1 }
}
