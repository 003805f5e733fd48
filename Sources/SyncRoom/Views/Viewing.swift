import SyncBytes
import SyncWire

/// What a member sees of the room through views, and what that takes.
struct Viewing {
    /// In the order in which it opened them.
    var views: [RoomView] = []
    /// A drag of it that is over though it has not ended it, and why; it is still to be told.
    var lostDrag: (number: DragNumber, refusal: RoomRefusal)?
    /// What it was sent and has not taken in.
    private var unreadBytes = 0
    private let charge: Charge

    init(of holder: Holder, on tally: Tally?) {
        charge = Charge(in: holder.views, as: .views, on: tally)
    }

    /// What its views take, with what it was sent of them and has not taken in.
    var byteCount: Int { charge.count }

    /// Counts its views anew, and updates that it is sent.
    mutating func count(unread frames: [EncodedFrame] = []) {
        unreadBytes += frames.reduce(0) { $0 + $1.plain.count }
        charge.change(to: views.reduce(unreadBytes) { $0 + $1.byteCount })
    }

    /// The member has taken in what it was sent.
    mutating func didRead() {
        guard unreadBytes > 0 else { return }
        unreadBytes = 0
        count()
    }
}
