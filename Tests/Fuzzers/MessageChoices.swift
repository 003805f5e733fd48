import ModelSupport
import SyncModel
import SyncWire

/// Makes client messages from an input's choices. They use few rooms, clients and numbers, so that
/// they meet, and raw bytes of the input.
struct MessageChoices {
    private var steps: StepChoices

    /// Two clients that differ by their spelling only.
    private static let clients = [Spellings.aboveAndBelow, Spellings.belowAndAbove]

    /// Whether messages have tokens, and some are about them.
    private let hasTokens: Bool

    init(_ choices: InputBytes, hasTokens: Bool) {
        steps = StepChoices(choices, maximumFields: Guard.maximumFields + 1)
        self.hasTokens = hasTokens
    }

    var isAtEnd: Bool { steps.isAtEnd }

    mutating func below(_ count: Int) -> Int { steps.choices.below(count) }

    mutating func noise() -> [UInt8] {
        (0..<steps.choices.below(64)).map { _ in steps.choices.byte() }
    }

    private mutating func text() -> String {
        let count = below(64)
        return steps.choices.text(bytes: count)
    }

    mutating func milliseconds() -> UInt64 {
        [1, 10, 100, 1_000, 20_000, 70_000][below(6)]
    }

    /// A message, mostly about the room that the client has joined.
    mutating func message(to handle: RoomHandle?) -> ClientMessage {
        let room = below(8) == 7 ? RoomHandle(below(4)) : handle ?? 1
        let request = RequestID(below(4))
        if hasTokens, below(6) == 5 { return tokenMessage(request) }
        switch below(20) {
        case 0: return .hello(Hello(features: below(2) == 0 ? .all : [], token: token()))
        case 1, 2: return .join(join(request))
        case 3: return .leave(Leave(request: request, room: room))
        case 4: return .heartbeat(Heartbeat(rooms: [.init(room: room, revision: revision())]))
        case 5: return .listRooms(ListRooms(request: request))
        case 6: return .readStats(RoomRequest(request: request, room: roomName()))
        case 7: return .deleteRoom(RoomRequest(request: request, room: roomName()))
        case 8:
            let at = below(2) == 0 ? nil : revision()
            return .readSnapshot(ReadSnapshot(request: request, room: roomName(), revision: at))
        case 9:
            return .readHistory(
                ReadHistory(
                    request: request, room: roomName(), from: revision(),
                    until: below(2) == 0 ? nil : revision(), everyRevision: below(2) == 0))
        case 10, 11, 12: return .view(steps.choices.viewRequest(room: room))
        case 13: return .presence(Presence(room: room, state: presenceState()))
        case 14, 15: return .drag(steps.choices.drag(room: room))
        case 16: return .readItems(readItems(request))
        default:
            let newest = revision()
            let transaction = steps.transaction(newest: newest, horizon: newest / 2)
            return .submit(
                Submit(
                    room: room, counter: UInt64(below(32)), transaction: packed(transaction)))
        }
    }

    private mutating func readItems(_ request: RequestID) -> ReadItems {
        let after = below(2) == 0 ? nil : name("i", below(8))
        let section = below(3) > 0 ? nil : name(below(2) == 0 ? "main" : "s\(below(4))")
        let text = SearchText(self.text())
        let part: ItemQuery.Part =
            switch (below(3), text) {
            case (0, _): .these((0..<below(4)).map { _ in name("i", below(8)) })
            case (1, let text?): .search(text, in: section, after: after)
            default: .page(in: section, after: after)
            }
        return ReadItems(
            request: request, room: roomName(), revision: below(2) == 0 ? nil : revision(),
            ItemQuery(part, limit: 1 + below(4)))
    }

    /// A token of a stranger, which may be none; empty without tokens.
    mutating func token() -> String {
        guard hasTokens else { return "" }
        let known = FuzzedTokens.all
        switch below(known.count + 3) {
        case known.count: return ""
        case known.count + 1: return text()
        case known.count + 2: return known[0] + "A"
        case let index: return known[index]
        }
    }

    private mutating func tokenMessage(_ request: RequestID) -> ClientMessage {
        if below(3) > 0 { return .renew(Renew(request: request, token: token())) }
        let subject: Revoke.Subject =
            switch below(5) {
            case 0: .token(Identifier(stringLiteral: "\(below(FuzzedTokens.all.count))"))
            case 1:
                .user(name(FuzzedTokens.users[below(FuzzedTokens.users.count)]))
            case 2: .key(FuzzedTokens.keyIDs[below(FuzzedTokens.keyIDs.count)])
            case 3:
                .role(
                    of: Identifier(
                        stringLiteral: FuzzedTokens.users[below(FuzzedTokens.users.count)]),
                    in: roomName())
            default: .all
            }
        return .revoke(Revoke(request: request, subject))
    }

    private mutating func join(_ request: RequestID) -> Join {
        Join(
            request: request, room: roomName(), client: name(MessageChoices.clients[below(2)]),
            secret: [UInt8(below(2))], from: below(2) == 0 ? nil : revision(),
            everyRevision: below(4) == 3, viewOnly: below(16) > 11, presence: below(4) > 1,
            origin: below(4) == 0 ? nil : origin(), counter: UInt64(below(8)))
    }

    private mutating func origin() -> Origin {
        Origin(
            room: RoomID(high: 0, low: UInt64(below(2))), epoch: EpochID(value: UInt64(below(2))))
    }

    private mutating func presenceState() -> PresenceState {
        var state = PresenceState()
        state.selected = (0..<below(4)).map { _ in name("i", below(12)) }
        state.highlighted = (0..<below(3)).map { _ in name("i", below(12)) }
        if below(4) == 3 { state.custom = try? EncodedValue(.number(Double(below(4)))) }
        return state
    }

    private mutating func revision() -> Revision {
        let number = below(64)
        return number == 63 ? .max : Revision(number)
    }

    private mutating func roomName() -> RoomName {
        below(4) == 3 ? FuzzedRooms.second : FuzzedRooms.first
    }

    /// A join that follows the protocol.
    static func join(as client: String, request: RequestID) -> Join {
        Join(request: request, room: FuzzedRooms.first, client: name(client), secret: [9])
    }
}
