import SyncBytes
import SyncModel

/// A view of the guard of an operation in a ``PackedTransaction``; valid as long as that is lent.
struct GuardView {
    let revision: Revision
    let coversPlace: Bool
    let coversContent: Bool
    /// The named fields, behind their tags.
    private let names: ByteReader

    /// Finds the parts of a canonical message `Guard`.
    init(_ body: UnsafeRawBufferPointer) {
        var reader = ByteReader(body)
        let tag = { (number: Int) in UInt8(number << 3) }
        revision = reader.pass(tag(Guard.Number.revision)) ? (try? reader.readVarint()) ?? 0 : 0
        coversPlace = reader.pass(tag(Guard.Number.place)) && reader.pass(1)
        coversContent = reader.pass(tag(Guard.Number.content)) && reader.pass(1)
        names = reader
    }

    /// Whether it covers more than the life and the place.
    var coversMore: Bool { coversContent || !names.isAtEnd }

    /// What it covers of the content.
    var coveredContent: GuardedChanges {
        var covered: GuardedChanges = coversContent ? .content : []
        forEachField { position, _ in covered.insert(.field(at: position)) }
        return covered
    }

    /// Calls `body` with the position and the name of each named field.
    func forEachField(_ body: (Int, UnsafeRawBufferPointer) -> Void) {
        var (reader, position) = (names, 0)
        while position < Guard.maximumFields, let name = reader.take(Guard.Number.fields) {
            body(position, name)
            position += 1
        }
    }
}
