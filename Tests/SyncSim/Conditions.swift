/// How long things take in a simulated world, and how much it holds. May be changed at any time.
package struct Conditions: Sendable {
    /// How long bytes, and the asking for a connection, are under way.
    package var networkDelayMicroseconds: ClosedRange<UInt64> = 50...3000

    /// How long after one piece the next of the same direction arrives at least.
    package var pieceGapMicroseconds: ClosedRange<UInt64> = 0...400

    /// Into how large pieces the network cuts what is written. One piece in eight is tiny.
    package var pieceBytes: ClosedRange<Int> = 1...16_384

    /// How much one direction of a connection holds that was written and not yet read.
    package var socketBufferBytes = 65_536

    /// How long a loop takes from what begins a turn to its end. What comes in this time belongs to
    /// the same turn.
    package var turnMicroseconds: ClosedRange<UInt64> = 0...300

    /// How long a letter lies in a loop's mailbox.
    package var mailDelayMicroseconds: ClosedRange<UInt64> = 1...100

    /// How much time passes, for those who measure it, between two looks at a loop's exact clock.
    package var clockReadMicroseconds: UInt64 = 0

    /// How long a worker takes for a job.
    package var jobMicroseconds: ClosedRange<UInt64> = 50...5000

    package init() {}
}
