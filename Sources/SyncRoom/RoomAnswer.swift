import SyncEngine

/// What a member is told about a transaction, now or when the log has it.
package struct RoomAnswer: Sendable {
    /// `nil` if it has left.
    package var member: MemberID?
    /// Which of the connection's memberships it is.
    var membership: UInt32
    /// The record that the answer waits for.
    var sequence: UInt64
    /// The room's revision behind the transaction, where its answer waits.
    var revision: Revision
    package var result: Authors.Result

    package var counter: UInt64 { result.counter }
    package var outcome: Outcome { result.outcome }
}
