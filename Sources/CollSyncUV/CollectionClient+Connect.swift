@_exported public import CollSync
import SyncClient
import SyncIO
import SyncLoop

extension CollectionClient {
    /// Connects to a server, on a thread of libuv's.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: how large a room the client holds. One that is larger ends for it with
    ///     `clientLimit`, so that no server makes its memory grow without bound.
    /// - Throws: why there is no connection. Once there is one, a lost connection is made again,
    ///   with growing delays, until ``CollectionClient/close()``.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30
    ) async throws(CollectionError) -> CollectionClient {
        try await connect(
            to: address, agent: agent, maximumRoomBytes: maximumRoomBytes, platform: LoopPlatform())
    }
}
