import SyncBytes
import SyncModel

/// Why a message's field could not be read.
enum FieldError: Error, Equatable {
    /// It does not fit the schema.
    case malformed
    /// It is invalid, for this reason.
    case meaningless(String)
    /// It can't be part of a room's content.
    case model(ModelError)
    /// It exceeds a limit; the text says which.
    case limit(String)
    /// It is not the hello of this protocol.
    case handshake
    /// A hello has a token that is too long, or no text.
    case token
    /// A request, or a message for a room, is invalid but can be answered.
    case refused(ErrorSubject, ErrorCode, String)

    /// The explanation for people.
    var explanation: String {
        switch self {
        case .malformed: "the message does not fit the schema"
        case .model(let error): error.explanation
        case .handshake: "this is a collsync server; the first message is a Hello of collsync.v1"
        case .token: FieldReader.badToken
        case .meaningless(let text), .limit(let text), .refused(_, _, let text): text
        }
    }
}

/// What is wrong with a name or a value in a message that is readable otherwise. The sender gets an
/// error, and the connection goes on.
package struct ContentFault: Error, Equatable, Sendable {
    package let explanation: String

    init(_ error: ModelError) {
        explanation = error.explanation
    }

    init(_ explanation: String) {
        self.explanation = explanation
    }
}

/// A cursor over the fields of one message, which may be anything.
///
/// ``next()`` moves to a field; then one of the other calls reads its value, or ``skip()`` skips
/// it. A value of another wire type than the call's is an error.
struct FieldReader {
    private var bytes: ByteReader
    private var type = WireType.varint

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = ByteReader(bytes)
    }

    /// The next field's number, or `nil` at the end.
    @inline(__always)
    mutating func next() throws(FieldError) -> Int? {
        do throws(ByteError) {
            guard let (field, type) = try bytes.readTag() else { return nil }
            self.type = type
            return field
        } catch {
            throw .malformed
        }
    }

    mutating func skip() throws(FieldError) {
        do throws(ByteError) { try bytes.skip(type) } catch { throw .malformed }
    }

    @inline(__always)
    mutating func uint64() throws(FieldError) -> UInt64 {
        guard type == .varint else { throw .malformed }
        do throws(ByteError) { return try bytes.readVarint() } catch { throw .malformed }
    }

    /// A counter, a revision or another whole number; of a message that a server has made, too.
    @inline(__always)
    mutating func number() throws(FieldError) -> UInt64 {
        let value = try uint64()
        guard value <= WireProtocol.greatestNumber else { throw .meaningless(FieldReader.tooGreat) }
        return value
    }

    /// The same; a number that is too great is noted as a fault and read as 0.
    mutating func number(noting fault: inout ContentFault?) throws(FieldError) -> UInt64 {
        let value = try uint64()
        if value <= WireProtocol.greatestNumber { return value }
        fault = fault ?? ContentFault(FieldReader.tooGreat)
        return 0
    }

    static let tooGreat = "a whole number is at most 2^53 - 1"

    @inline(__always)
    mutating func uint32() throws(FieldError) -> UInt32 {
        guard let value = UInt32(exactly: try uint64()) else { throw .malformed }
        return value
    }

    /// A `sint64` that is exact as a double.
    mutating func integer() throws(FieldError) -> Int {
        guard type == .varint else { throw .malformed }
        let integer: Int64
        do throws(ByteError) { integer = try bytes.readZigzag() } catch { throw .malformed }
        guard integer.magnitude <= Value.largestInteger else {
            throw .model(.inexactInteger(""))
        }
        return Int(integer)
    }

    /// A `uint32` that is a count or an index.
    @inline(__always)
    mutating func index() throws(FieldError) -> Int {
        Int(try uint32())
    }

    mutating func bool() throws(FieldError) -> Bool {
        try uint64() != 0
    }

    mutating func double() throws(FieldError) -> Double {
        guard type == .fixed64 else { throw .malformed }
        do throws(ByteError) { return try bytes.readDouble() } catch { throw .malformed }
    }

    /// The bytes of a string, a message or a packed list.
    @inline(__always)
    mutating func body() throws(FieldError) -> UnsafeRawBufferPointer {
        guard type == .lengthDelimited else { throw .malformed }
        do throws(ByteError) { return try bytes.readLengthDelimited() } catch { throw .malformed }
    }

    /// A text of at most so many bytes.
    mutating func text(atMost limit: Int) throws(FieldError) -> ForeignText {
        let bytes = try body()
        guard bytes.count <= limit else {
            throw .meaningless("a text has \(bytes.count) of \(limit) bytes")
        }
        guard let text = ForeignText(bytes, atMost: limit) else { throw .malformed }
        return text
    }

    /// A sentence of a server for people. What is too much is cut off.
    mutating func sentence() throws(FieldError) -> ForeignText {
        var bytes = try body()
        if bytes.count > FieldReader.sentenceBytes {
            bytes = UnsafeRawBufferPointer(rebasing: bytes[..<FieldReader.sentenceBytes])
            // Back to the beginning of a character.
            while let last = bytes.last, last & 0xC0 == 0x80 {
                bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
            }
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
        }
        guard let text = ForeignText(bytes, atMost: bytes.count) else { throw .malformed }
        return text
    }

    /// What a server says of its own kind, or of a user.
    mutating func label() throws(FieldError) -> ForeignText {
        try text(atMost: FieldReader.labelBytes)
    }

    /// A token; `nil` if it is too long or no text, so that no token can be it.
    mutating func token() throws(FieldError) -> ForeignText? {
        ForeignText(try body(), atMost: TokenBounds.maximumBytes)
    }

    static let badToken =
        "a token is a text of at most \(TokenBounds.maximumBytes) bytes"

    /// A room's name; `nil` if the bytes can't be one.
    mutating func roomName() throws(FieldError) -> RoomName? {
        RoomName(bytes: try body())
    }

    /// The most bytes of a sentence: one may hold the path to a value in a deep object.
    static let sentenceBytes = 16 << 10
    /// The most bytes of a program's name and version, or of a name to show.
    static let labelBytes = 1 << 10

    @inline(__always)
    mutating func identifier() throws(FieldError) -> Identifier {
        let bytes = try body()
        do throws(ModelError) { return try Identifier(bytes: bytes) } catch { throw .model(error) }
    }

    /// A name; an invalid one is noted as a fault and read as `nil`.
    mutating func identifier(
        noting fault: inout ContentFault?
    ) throws(FieldError) -> Identifier? {
        let bytes = try body()
        do throws(ModelError) {
            return try Identifier(bytes: bytes)
        } catch {
            fault = fault ?? ContentFault(error)
            return nil
        }
    }

    mutating func item() throws(FieldError) -> Item {
        let bytes = try body()
        if let item = CanonicalContent.item(bytes, maximumFields: .max) { return item }
        do throws(ModelError) { return try Item(parsing: bytes) } catch { throw .model(error) }
    }

    mutating func section() throws(FieldError) -> ListSection {
        let bytes = try body()
        if let section = CanonicalContent.section(bytes, maximumFields: .max) { return section }
        do throws(ModelError) { return try ListSection(parsing: bytes) } catch {
            throw .model(error)
        }
    }

    /// A repeated `uint32`, packed or one by one.
    mutating func indices(into list: inout [Int]) throws(FieldError) {
        guard type == .lengthDelimited else { return list.append(try index()) }
        var packed = ByteReader(try body())
        while !packed.isAtEnd {
            guard let value = try? packed.readVarint(), value <= UInt32.max else {
                throw .malformed
            }
            list.append(Int(value))
        }
    }
}
