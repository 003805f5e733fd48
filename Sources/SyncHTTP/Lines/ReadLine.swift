import SyncJSON
import SyncModel
import SyncWire

/// A line of a client that was read. Reading takes no member, so a worker can do it.
enum ReadLine: Sendable {
    case blank
    /// A transaction, as it is sent, or why it can't be. To pack it takes as long as to read it.
    case transaction(
        Result<PackedTransaction, Rejection>, base: Revision?, tx: UInt64?, origin: RoomOrigin?)
    /// What the member shows, or why that can't be a value. To encode it takes as long, too.
    case presence(Result<PresenceState, ModelError>)
    case command(JoinCommand)
    case malformed(JSONError)

    /// How many items the member has to pack, since it gives them new ids.
    var itemsToPack: Int {
        guard case .command(.clipboard(.paste(let clipboard?, _))) = self else { return 0 }
        return clipboard.items.count
    }

    /// Reads a line, without its end.
    ///
    /// - Parameter made: is increased by what was made of it, see ``JoinCommand``.
    init(_ line: UnsafeRawBufferPointer, counting made: inout Int) {
        guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
            self = .blank
            return
        }
        do throws(JSONError) {
            switch try JoinCommand(line: line, counting: &made) {
            case .transaction(let operations, let base, let tx, let origin, let isAllOrNothing):
                let packed = PackedTransaction.packing(
                    operations, isAllOrNothing: isAllOrNothing)
                self = .transaction(packed, base: base, tx: tx, origin: origin)
            case .presence(let command):
                self = .presence(
                    Result { () throws(ModelError) in try PresenceState(command) })
            case let command: self = .command(command)
            }
        } catch {
            self = .malformed(error)
        }
    }
}

extension PresenceState {
    fileprivate init(_ command: PresenceCommand) throws(ModelError) {
        self.init(selected: command.selected, highlighted: command.highlighted)
        if let value = command.custom { custom = try EncodedValue(value) }
    }
}
