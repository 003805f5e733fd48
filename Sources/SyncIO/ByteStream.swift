@_exported public import SyncBytes

/// A connection: bytes in order, both ways, until it closes.
///
/// There is no queue: one write may be in flight, and whoever writes waits for
/// ``ByteStreamHandler/streamDidDrain()`` before the next. That is what keeps a slow reader's
/// memory bounded.
public protocol ByteStream: AnyObject {
    /// The other side's address as text, for logs.
    var peer: String { get }

    /// Begins reading; called once. The stream keeps its handler until it is closed. A stream that
    /// is closed already is not opened, and calls nobody.
    func open(_ handler: any ByteStreamHandler)

    /// Sends the parts, in order, in as few system calls as possible. Must not be called while
    /// ``isWriting``, nor before ``open(_:)``; on a closed stream it does nothing. Whether the
    /// system takes all at once or later, exactly one `streamDidDrain` (or `streamDidClose`)
    /// follows, in a later callback.
    func write(_ parts: [SharedBytes])

    /// Whether a write is in flight.
    var isWriting: Bool { get }

    /// The number of bytes of the write in flight that the system has not taken yet; 0 without one.
    /// A reader that is slow lets it fall, one that takes nothing does not.
    var unsentBytes: Int { get }

    /// Says that nothing follows what was written. Reading goes on; the other side's end closes the
    /// stream. Must not be called while ``isWriting``, nor before ``open(_:)``; nothing may be
    /// written after it.
    func finishWriting()

    /// Whether the stream reads nothing for now and leaves what arrives in the system's buffers.
    /// Then it does not notice that the other side has gone, either, until it writes.
    var isReadingPaused: Bool { get set }

    /// Closes at once; a write in flight may be lost. `streamDidClose(nil)` follows, and no other
    /// call. Closing again does nothing.
    func close()
}

/// Who uses a stream.
public protocol ByteStreamHandler: AnyObject {
    /// Bytes have come; they are valid during the call.
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer)

    /// The write in flight was taken by the system; the next may follow.
    func streamDidDrain()

    /// The last call: the stream is closed; with `nil`, by this side or by an orderly end of the
    /// other's, else with ``IOError/connectionLost(_:)``.
    func streamDidClose(_ error: IOError?)
}
