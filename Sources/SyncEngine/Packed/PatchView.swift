import SyncBytes
import SyncModel

/// A view of an item's patch in a ``PackedTransaction``. What it does not name stays.
struct ItemPatchView {
    /// What becomes of a part of the content.
    enum Part: BitwiseCopyable {
        case stays
        case goes
        case becomes(UnsafeRawBufferPointer)
    }

    private(set) var size = Part.stays
    private(set) var kind = Part.stays
    private(set) var flags = FlagChanges<ItemFlags>()
    /// The fields to set, by ascending name, each behind its tag and its length.
    private var setBytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The names to take away, likewise.
    private var unsetBytes = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Finds the parts of a canonical message `Update` behind its id.
    @inline(__always)
    init(_ message: UnsafeRawBufferPointer) {
        typealias Number = ItemPatch.Number
        var reader = ByteReader(message)
        setBytes = reader.takeRun(of: Number.set)
        // Most patches do no more.
        if reader.isAtEnd { return }
        unsetBytes = reader.takeRun(of: Number.unset)
        size = reader.takePart(Number.size, none: Number.noSize)
        kind = reader.takePart(Number.kind, none: Number.noKind)
        if let body = reader.take(Number.flags) { flags = FlagChanges(message: body) }
    }

    var set: MessageParts { MessageParts(setBytes) }
    var unset: MessageParts { MessageParts(unsetBytes) }

    /// Whether it changes flags alone, which is allowed on any item (O4): otherwise a flag that is
    /// false could never become true.
    var changesOnlyFlags: Bool {
        guard case .stays = size, case .stays = kind else { return false }
        return setBytes.isEmpty && unsetBytes.isEmpty && !flags.isEmpty
    }
}

/// A view of a section's patch in a ``PackedTransaction``.
struct SectionPatchView {
    private(set) var flags = FlagChanges<SectionFlags>()
    private let setBytes: UnsafeRawBufferPointer
    private let unsetBytes: UnsafeRawBufferPointer
    /// Supplementaries by ascending kind, each behind its tag and its length.
    private let supplementaryBytes: UnsafeRawBufferPointer
    private let removedBytes: UnsafeRawBufferPointer

    /// Finds the parts of a canonical message `UpdateSection` behind its id.
    init(_ message: UnsafeRawBufferPointer) {
        typealias Number = SectionPatch.Number
        var reader = ByteReader(message)
        setBytes = reader.takeRun(of: Number.set)
        unsetBytes = reader.takeRun(of: Number.unset)
        supplementaryBytes = reader.takeRun(of: Number.supplementaries)
        removedBytes = reader.takeRun(of: Number.removedSupplementaries)
        if let body = reader.take(Number.flags) { flags = FlagChanges(message: body) }
    }

    var set: MessageParts { MessageParts(setBytes) }
    var unset: MessageParts { MessageParts(unsetBytes) }
    var supplementaries: MessageParts { MessageParts(supplementaryBytes) }
    var removedSupplementaries: MessageParts { MessageParts(removedBytes) }
}

/// A view of an increment in a ``PackedTransaction``.
struct IncrementView: BitwiseCopyable {
    /// The field's name.
    private(set) var field = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Finite.
    private(set) var amount = 0.0

    /// Finds the parts of a canonical message `Increment` behind its id.
    init(_ message: UnsafeRawBufferPointer) {
        var reader = ByteReader(message)
        while let (_, type) = try? reader.readTag() {
            if type == .fixed64 {
                amount = (try? reader.readDouble()) ?? 0
            } else {
                guard let body = try? reader.readLengthDelimited() else { return }
                field = body
            }
        }
    }
}

extension ItemPatch {
    /// Writes the body of an `Update` behind its id that sets one field to a number.
    static func write(
        number: Double, in field: UnsafeRawBufferPointer, to writer: inout ByteWriter
    ) throws(ModelError) {
        try writer.write(message: Number.set) { (writer) throws(ModelError) in
            writer.write(field: 1, bytes: field)
            try writer.write(message: 2) { (writer) throws(ModelError) in
                try ValueCoding.write(.number(number), to: &writer)
            }
        }
    }
}

extension FlagChanges {
    /// Reads a canonical message of flags.
    fileprivate init(message: UnsafeRawBufferPointer) {
        let (changed, enabled) = (try? FlagBits.readChanges(message)) ?? (0, 0)
        self.init(changed: Flags(rawValue: changed), enabled: Flags(rawValue: enabled))
    }
}

extension ByteReader {
    /// Takes all length-delimited fields that come next with this number, which is below 16.
    @inline(__always)
    fileprivate mutating func takeRun(of field: Int) -> UnsafeRawBufferPointer {
        let start = rest
        while let _ = take(field) {}
        return UnsafeRawBufferPointer(start: start.baseAddress, count: start.count - count)
    }

    /// Takes a part's new value, or the flag that says that the part goes.
    @inline(__always)
    fileprivate mutating func takePart(_ field: Int, none: Int) -> ItemPatchView.Part {
        if let body = take(field) { return .becomes(body) }
        guard pass(UInt8(none << 3)) else { return .stays }
        _ = try? readVarint()
        return .goes
    }
}
