@_exported public import SyncBytes

/// A connection: bytes in order, both ways, until it closes.
///
/// A stream queues no writes. Only one may be in flight; the next must wait for
/// ``ByteStreamHandler/streamDidDrain()``. This bounds the memory that a slow reader costs.
public protocol ByteStream: AnyObject {
    /// The other side's address as text, for logs.
    var peer: String { get }

    /// Begins reading; called once. The stream retains its handler until it is closed. On a closed
    /// stream this does nothing, and the handler gets no call.
    func open(_ handler: any ByteStreamHandler)

    /// Sends the parts, in order, in as few system calls as possible. Must not be called while
    /// ``isWriting``, nor before ``open(_:)``; on a closed stream it does nothing. Whether the
    /// system accepts all bytes at once or later, exactly one `streamDidDrain` (or
    /// `streamDidClose`) follows, in a later callback.
    func write(_ parts: [SharedBytes])

    /// Whether a write is in flight.
    var isWriting: Bool { get }

    /// How many bytes of the write in flight the system has not accepted yet; 0 without a write.
    /// The number falls while the other side reads, however slowly.
    var unsentBytes: Int { get }

    /// Ends this side's output after what was written. Reading goes on, and the stream closes when
    /// the other side ends too. Must not be called while ``isWriting``, nor before ``open(_:)``;
    /// nothing may be written after it.
    func finishWriting()

    /// Whether reading is paused: bytes that arrive then stay in the system's buffers. A paused
    /// stream notices only by a write that the other side has gone.
    var isReadingPaused: Bool { get set }

    /// Closes at once; a write in flight may be lost. `streamDidClose(nil)` follows, and no other
    /// call. Closing again does nothing.
    func close()
}

/// Receives a stream's events.
public protocol ByteStreamHandler: AnyObject {
    /// Bytes have arrived; they are valid during the call.
    func streamDidReceive(_ bytes: UnsafeRawBufferPointer)

    /// The system has accepted the whole write in flight; the next may follow.
    func streamDidDrain()

    /// The last call: the stream is closed. The error is `nil` if this side closed it or the other
    /// side ended in an orderly way, else ``IOError/connectionLost(_:)``.
    func streamDidClose(_ error: IOError?)
}
