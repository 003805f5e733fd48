/// Why a room can't be made of what is stored.
package enum RoomError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another version of collsync wrote it.
    case unknownFormat(UInt64)
    /// The bytes are not what a room writes.
    case malformed(String)
    /// A record does not follow from what came before.
    case misfit(String)

    package var description: String {
        switch self {
        case .unknownFormat(let format):
            "it has format \(format), which this program does not know; use the collsync that"
                + " wrote it"
        case .malformed(let what): what
        case .misfit(let what): what
        }
    }
}
