/// Watches what the other side sends before it encrypts, and bounds the length that a message says
/// it has.
///
/// OpenSSL takes memory for a client's whole hello as soon as it has the hello's length, up to 128
/// KiB. A client could let very many wait there.
struct HelloBound {
    /// The most bytes of a message, without its header. OpenSSL's buffer has room for so many from
    /// the start. A hello with a ticket and keys of several groups has less than 4 KiB.
    static let maximumBytes = (16 << 10) - messageHeaderBytes
    private static let recordHeaderBytes = 5
    private static let messageHeaderBytes = 4
    /// The kind of a record with messages that are not encrypted.
    private static let handshakeKind: UInt8 = 22

    private var recordHeaderCount = 0
    private var recordKind: UInt8 = 0
    private var recordBytesLeft = 0
    private var messageHeaderCount = 0
    private var messageBytesLeft = 0

    /// Notes the next bytes of the handshake.
    ///
    /// - Returns: `false` if a message is too long.
    mutating func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while let byte = rest.first {
            if recordHeaderCount < HelloBound.recordHeaderBytes {
                rest.removeFirst()
                addToRecordHeader(byte)
                continue
            }
            var count = min(recordBytesLeft, rest.count)
            if recordKind == HelloBound.handshakeKind {
                if messageBytesLeft > 0 {
                    count = min(count, messageBytesLeft)
                    messageBytesLeft -= count
                } else {
                    count = 1
                    addToMessageHeader(byte)
                    if messageBytesLeft > HelloBound.maximumBytes { return false }
                }
            }
            rest.removeFirst(count)
            recordBytesLeft -= count
            if recordBytesLeft == 0 { recordHeaderCount = 0 }
        }
        return true
    }

    /// A record begins with its kind, its version and its length.
    private mutating func addToRecordHeader(_ byte: UInt8) {
        switch recordHeaderCount {
        case 0: (recordKind, recordBytesLeft) = (byte, 0)
        case 1, 2: break
        default: recordBytesLeft = recordBytesLeft << 8 | Int(byte)
        }
        recordHeaderCount += 1
        let isWhole = recordHeaderCount == HelloBound.recordHeaderBytes
        if isWhole, recordBytesLeft == 0 { recordHeaderCount = 0 }
    }

    /// A message begins with its kind and its length.
    private mutating func addToMessageHeader(_ byte: UInt8) {
        messageHeaderCount += 1
        if messageHeaderCount > 1 { messageLength = messageLength << 8 | Int(byte) }
        guard messageHeaderCount == HelloBound.messageHeaderBytes else { return }
        (messageBytesLeft, messageLength, messageHeaderCount) = (messageLength, 0, 0)
    }

    /// What is known of the length in a message's header.
    private var messageLength = 0
}
