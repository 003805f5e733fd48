import SyncJSON
import SyncModel

/// A line of a client that was read. Reading takes no member, so a worker can do it.
enum ReadLine: Sendable {
    case blank
    /// A transaction, as it is sent, or why it can't be. To pack it takes as long as to read it.
    case transaction(
        Result<PackedTransaction, Rejection>, base: Revision?, tx: UInt64?, origin: RoomOrigin?)
    case command(JoinCommand)
    case malformed(JSONError)

    /// Reads a line, without its end.
    ///
    /// - Parameter made: gets the number of values that were made of it, see ``JoinCommand``.
    init(_ line: UnsafeRawBufferPointer, counting made: inout Int) {
        guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
            self = .blank
            return
        }
        do throws(JSONError) {
            let command = try JoinCommand(line: line, counting: &made)
            guard case .transaction(let operations, let base, let tx, let origin) = command else {
                self = .command(command)
                return
            }
            self = .transaction(
                PackedTransaction.packing(operations), base: base, tx: tx, origin: origin)
        } catch {
            self = .malformed(error)
        }
    }
}
