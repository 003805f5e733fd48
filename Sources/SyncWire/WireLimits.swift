import SyncBytes

/// Limits of what may be received. The server sends its own in the ``Welcome``.
package struct WireLimits: Sendable, Equatable {
    /// Bytes of any frame, without its length; also of what a deflated one inflates to.
    package var frameBytes = 16 << 20
    /// Bytes of a transaction's encoding.
    package var transactionBytes = 4 << 20
    /// Operations of a transaction.
    package var transactionOperations = 10_000
    /// Bytes of the encoding of an item, a section or new content for one.
    package var contentBytes = 256 << 10
    /// Fields of an item, a section or a supplementary; supplementaries of a section; names to
    /// unset.
    package var contentFields = 256
    /// Transactions that a client may have in flight in a room.
    package var unansweredTransactions = 1_024
    /// Views that a connection may have open in a room.
    package var views = 16
    /// Elements that a view may show, those of its overscan included. The first update of so many
    /// takes a loop some milliseconds, and some more as JSON.
    package var viewElements = 3_000
    /// Steps of work that a transaction may take, see `Engine+Steps.swift`.
    package var transactionSteps = 4_000_000
    /// Bytes of a submitted transaction that are not canonical: parsing them takes much longer than
    /// checking canonical ones. The welcome does not have it, since canonical transactions always
    /// meet it.
    package var nonCanonicalBytes = 64 << 10
    /// Items that a member may show as selected, and as highlighted, and bytes of its custom value.
    /// The welcome does not have them: presence that exceeds them is refused.
    package var presence = PresenceLimits()
    /// Rooms that a connection may be in. The welcome does not have it: a join beyond it is
    /// refused.
    package var rooms = 64

    package init() {}

    /// A frame of a client may be longer than a transaction by so much.
    package static let clientFrameMargin = 64 << 10

    /// Bytes of a frame that a client sends, without its length; also of what a deflated one
    /// inflates to.
    package var clientFrameBytes: Int {
        min(frameBytes, transactionBytes + WireLimits.clientFrameMargin)
    }

    /// The most that ``frameBytes`` may be: the greatest length that fits into four bytes.
    package static let maximumFrameBytes = 1 << 28 - 1

    /// Snapshots, batches and lists are cut into parts of about so many bytes. A part ends before
    /// the first section, item or entry that begins after this size, so it exceeds the size by one
    /// content at most.
    package var partBytes: Int { min(MessageEncoder.partBytes, frameBytes / 4) }
}

extension WireLimits {
    /// Field numbers of the message `Limits`.
    private enum Number {
        static let frameBytes = 1
        static let transactionBytes = 2
        static let transactionOperations = 3
        static let contentBytes = 4
        static let contentFields = 5
        static let unansweredTransactions = 6
        static let views = 7
        static let viewElements = 8
        static let transactionSteps = 9
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init()
        var read = [0, 0, 0, 0, 0, 0, 0, 0, 0]
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            guard (1...read.count).contains(field) else {
                try reader.skip()
                continue
            }
            read[field - 1] = try reader.index()
        }
        frameBytes = read[Number.frameBytes - 1]
        transactionBytes = read[Number.transactionBytes - 1]
        transactionOperations = read[Number.transactionOperations - 1]
        contentBytes = read[Number.contentBytes - 1]
        contentFields = read[Number.contentFields - 1]
        unansweredTransactions = read[Number.unansweredTransactions - 1]
        views = read[Number.views - 1]
        viewElements = read[Number.viewElements - 1]
        transactionSteps = read[Number.transactionSteps - 1]
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.frameBytes, index: frameBytes)
        writer.write(Number.transactionBytes, index: transactionBytes)
        writer.write(Number.transactionOperations, index: transactionOperations)
        writer.write(Number.contentBytes, index: contentBytes)
        writer.write(Number.contentFields, index: contentFields)
        writer.write(Number.unansweredTransactions, index: unansweredTransactions)
        writer.write(Number.views, index: views)
        writer.write(Number.viewElements, index: viewElements)
        writer.write(Number.transactionSteps, index: transactionSteps)
    }
}
