/// What a room is to do, in order.
///
/// Transactions have the room's order. A task waits for the state and for those transactions that its own client
/// sent before it; what a client asks for is done in its order, see ``TaskLanes``.
struct RoomQueue: ~Copyable {
    var transactions = TransactionRuns()
    var tasks = TaskLanes()
}
