/// The delays and buffer sizes of a simulated world. They may be changed at any time.
package struct Conditions: Sendable {
    /// The network delay of bytes and of connection requests.
    package var networkDelayMicroseconds: ClosedRange<UInt64> = 50...3000

    /// The least time between two pieces in one direction.
    package var pieceGapMicroseconds: ClosedRange<UInt64> = 0...400

    /// The sizes of the pieces into which the network splits writes. One piece in eight is tiny.
    package var pieceBytes: ClosedRange<Int> = 1...16_384

    /// The capacity of one direction of a connection for bytes that were written and not yet read.
    package var socketBufferBytes = 65_536

    /// The time from the event that begins a loop's turn to the turn's end. Events in this time
    /// belong to the same turn.
    package var turnMicroseconds: ClosedRange<UInt64> = 0...300

    /// The delay of a letter in a loop's mailbox.
    package var mailDelayMicroseconds: ClosedRange<UInt64> = 1...100

    /// How far the exact clock of a loop advances with each reading.
    package var clockReadMicroseconds: UInt64 = 0

    /// The time that a worker needs for a job.
    package var jobMicroseconds: ClosedRange<UInt64> = 50...5000

    package init() {}
}
