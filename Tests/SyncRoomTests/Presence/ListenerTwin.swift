import ModelSupport
import SyncBytes
import SyncModel
import SyncRoom
import SyncWire

/// What a client knows of the other members: the sum of its updates.
final class ListenerTwin {
    let id: ConnectionID
    let client: Identifier
    let isTold: Bool
    private(set) var others: [Identifier: PresenceState] = [:]
    /// Updates in flight.
    private var inbox: [PresenceUpdate] = []
    /// Whether it has applied all updates it was sent.
    private(set) var isReady = true

    init(_ id: ConnectionID, client: Identifier, isTold: Bool) {
        self.id = id
        self.client = client
        self.isTold = isTold
    }

    /// Receives what one ``Room/compose(with:at:deliver:)`` delivers to it.
    ///
    /// - Returns: what is wrong with it.
    func receive(_ frames: [EncodedFrame], whatIsShown: [Identifier: PresenceState]) throws
        -> String?
    {
        guard isReady else { return "\(client) is sent something though it is not ready" }
        isReady = false
        var clients: Set<Identifier> = []
        var isBehind = false
        for frame in frames {
            guard case .presenceUpdate(let update) = try frame.message() else {
                if isBehind { return "presence comes before something else" }
                continue
            }
            isBehind = true
            guard isTold else { return "\(client) is told, and did not ask" }
            inbox.append(update)
            guard let other = update.client else {
                if !clients.isEmpty { return "all are gone after some were told of" }
                continue
            }
            if other == client { return "\(client) is told of itself" }
            guard clients.insert(other).inserted else { return "\(other) comes twice at once" }
            let shown = whatIsShown[other]
            if update.left ? shown != nil : shown != update.state {
                return "\(update) is told, where \(shown as Any) is shown"
            }
        }
        return nil
    }

    /// Applies the updates in flight.
    ///
    /// - Returns: the updates.
    func take() -> [PresenceUpdate] {
        defer { inbox = [] }
        isReady = true
        for update in inbox {
            if let other = update.client {
                others[other] = update.left ? nil : update.state
            } else {
                others = [:]
            }
        }
        return inbox
    }
}
