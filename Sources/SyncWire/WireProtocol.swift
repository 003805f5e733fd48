/// The protocol between a client and a server, as `Protocol/` specifies it: messages, frames, codec
/// and compression.
///
/// Bytes come in through ``FrameDecoder``, which cuts the stream into frames, and
/// ``MessageDecoder``, which turns a frame into a ``ClientMessage`` or a ``ServerMessage``. They go
/// out through ``MessageEncoder`` as an ``EncodedFrame`` that serves every receiver.
///
/// Invariants:
/// 1. What is written is canonical protobuf: fields ascend by number, what has its default value is
///    left out, varints are as short as they can be. Equal messages are equal bytes.
/// 2. What is read may be anything. It becomes a message whose names, numbers, sizes and depth are
///    within bounds, or a ``WireError``; never a trap, never more memory than the limits say.
/// 3. Only what makes the stream unreadable ends a connection. A transaction or a request that is
///    wrong is an error that names it, so that it can be answered.
///
/// Cost: below a hundred nanoseconds to write an operation, 50 to 200 to read one; names of up to
/// fifteen bytes allocate nothing, an item's content allocates once.
///
/// It leaves to others what the messages do, when frames are sent, and the JSON form.
package enum WireProtocol {
    /// What a ``Hello`` begins with, so that a stranger is known by the first bytes.
    package static let magic = "collsync"

    /// The versions this program speaks.
    package static let versions: ClosedRange<UInt32> = 1...1

    /// No whole number of a client is greater, nor one that a server makes: programs that have only
    /// doubles hold all of them exactly.
    package static let greatestNumber: UInt64 = (1 << 53) - 1

    /// The version a server and a client use: the newest that both speak.
    package static func version(for hello: Hello) -> UInt32? {
        let newest = min(hello.maximumVersion, versions.upperBound)
        return newest >= max(hello.minimumVersion, versions.lowerBound) ? newest : nil
    }
}

/// A room's number in the messages of a connection. The server gives it; it is the same for all
/// connections, so that one encoded frame serves every member.
package typealias RoomHandle = UInt32

/// A client's number for something it asked, until that is answered.
package typealias RequestID = UInt32
