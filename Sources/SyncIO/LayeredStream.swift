/// A stream on another stream, which takes memory of its own and works for what it receives.
///
/// Its figures include those of the stream below, if that is such a stream, too.
package protocol LayeredStream: ByteStream {
    /// How much it has worked for its input since the last call, in records: one counts for what
    /// takes as long as to decrypt a record of TLS. Input that comes in many short pieces is more
    /// work than its bytes.
    func takeRecordCount() -> Int

    /// The memory that it uses, in bytes.
    var memoryBytes: Int { get }
}
