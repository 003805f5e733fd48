/// The protocol between a client and a server, as `Protocol/` specifies it: messages, frames, codec
/// and compression.
///
/// Bytes come in through ``FrameDecoder``, which cuts the stream into frames, and
/// ``MessageDecoder``, which turns a frame into a ``ClientMessage`` or a ``ServerMessage``. They go
/// out through ``MessageEncoder`` as an ``EncodedFrame`` that serves every receiver.
///
/// Invariants:
/// 1. Output is canonical protobuf: fields ascend by number, default values are left out, varints
///    are as short as they can be. Equal messages are equal bytes.
/// 2. Input may be anything. It becomes a message whose names, numbers, sizes and depth are within
///    bounds, or a ``WireError``. It never traps, and never takes more memory than the limits
///    allow.
/// 3. Only input that makes the stream unreadable ends a connection. An invalid transaction or
///    request is an error that names it, so that it can be answered.
///
/// Cost: below a hundred nanoseconds to write an operation, 50 to 200 to read one; names of up to
/// fifteen bytes allocate nothing, an item's content allocates once.
///
/// It does not decide what messages do and when frames are sent, and has no JSON form.
package enum WireProtocol {
    /// The beginning of a ``Hello``, so that the first bytes show whether a peer speaks the
    /// protocol.
    package static let magic: StaticString = "collsync"

    /// The versions this program speaks.
    package static let versions: ClosedRange<UInt32> = 1...1

    /// The greatest whole number that a client may send or a server makes. Doubles represent all of
    /// them exactly, which is all that some programs have.
    package static let greatestNumber: UInt64 = (1 << 53) - 1

    /// The version a server and a client use: the newest that both speak.
    package static func version(for hello: Hello) -> UInt32? {
        let newest = min(hello.maximumVersion, versions.upperBound)
        return newest >= max(hello.minimumVersion, versions.lowerBound) ? newest : nil
    }
}

/// A room's number in the messages of a connection. The server assigns it; it is the same for all
/// connections, so that one encoded frame serves every member.
package typealias RoomHandle = UInt32

/// A client's number for a request, until that is answered.
package typealias RequestID = UInt32
