import SyncBytes

/// The server's answer to a ``Hello``: what applies on this connection.
package struct Welcome: Sendable, Equatable {
    package var version: UInt32
    /// The features of the hello that the server has too.
    package var features: Features
    /// The program's name and version.
    package var agent: String
    /// How often each side sends a heartbeat when it has nothing else to say.
    package var heartbeatMilliseconds: UInt32
    package var limits: WireLimits
    /// The user that the connection has signed in as; empty if it has not.
    package var user = ""
    /// After how many milliseconds the connection's token expires; 0 if it depends on none.
    package var tokenMilliseconds: UInt64 = 0

    package init(
        version: UInt32, features: Features, agent: String, heartbeatMilliseconds: UInt32,
        limits: WireLimits
    ) {
        self.version = version
        self.features = features
        self.agent = agent
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.limits = limits
    }
}

extension Welcome {
    private enum Number {
        static let version = 1
        static let features = 2
        static let agent = 3
        static let heartbeatMilliseconds = 4
        static let limits = 5
        static let user = 6
        static let tokenMilliseconds = 7
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(
            version: 0, features: [], agent: "", heartbeatMilliseconds: 0, limits: WireLimits())
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.version: version = try reader.uint32()
            case Number.features: features = Features(rawValue: try reader.uint64())
            case Number.agent: agent = try reader.label().shown
            case Number.heartbeatMilliseconds: heartbeatMilliseconds = try reader.uint32()
            case Number.limits: limits = try WireLimits(parsing: try reader.body())
            case Number.user: user = try reader.label().shown
            case Number.tokenMilliseconds: tokenMilliseconds = try reader.number()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.version, nonzero: version)
        writer.write(Number.features, nonzero: features.rawValue)
        writer.write(Number.agent, nonempty: agent)
        writer.write(Number.heartbeatMilliseconds, nonzero: heartbeatMilliseconds)
        writer.write(message: Number.limits) { writer in limits.write(to: &writer) }
        writer.write(Number.user, nonempty: user)
        writer.write(Number.tokenMilliseconds, nonzero: tokenMilliseconds)
    }
}
