/// Field numbers of the message `Frame`. Those below 16 take one byte and are for messages that are
/// sent often; 15 and those from 48 on are reserved.
package enum FrameNumber {
    static let deflated = 1
    static let submit = 2
    static let ack = 3
    static let reject = 4
    package static let batch = 5
    static let heartbeat = 6
    package static let snapshot = 7
    static let error = 8
    static let view = 9
    /// No message: which update of which view the frame's message is.
    static let viewHead = 10
    static let presence = 11
    package static let presenceUpdate = 12
    static let drag = 13
    static let dragTarget = 14

    static let hello = 16
    static let join = 17
    static let leave = 18
    static let listRooms = 19
    static let readStats = 20
    static let deleteRoom = 21
    static let readSnapshot = 22
    static let readHistory = 23
    static let renew = 24
    static let revoke = 25
    static let readItems = 26

    static let welcome = 32
    static let joined = 33
    static let done = 34
    static let roomList = 35
    static let stats = 36
    static let viewUpdate = 37
    package static let authors = 38
    static let renewed = 39

    /// No message: the request that the frame's message answers.
    package static let request = 40
    /// No message: the request of the join by which a client's frame names the room.
    static let joinRequest = 41

    package static let nearLimit = 42
    static let items = 43

    /// No message of the protocol: a message as JSON text, inside of a server. Whoever reads frames
    /// of a connection knows no such message.
    package static let json = 44
}
