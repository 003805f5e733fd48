package import SyncBytes

/// The client's first message: who it is and what it speaks.
package struct Hello: Sendable {
    /// The oldest version it speaks.
    package var minimumVersion: UInt32
    /// The newest version it speaks.
    package var maximumVersion: UInt32
    package var features: Features
    /// Proves what the client may do, if the server asks for that; else empty.
    package var token: ForeignText
    /// The program's name and version, for logs.
    package var agent: String

    package init(
        minimumVersion: UInt32 = WireProtocol.versions.lowerBound,
        maximumVersion: UInt32 = WireProtocol.versions.upperBound,
        features: Features = .all, token: String = "", agent: String = ""
    ) {
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.features = features
        self.token = ForeignText(bounded: token)
        self.agent = agent
    }
}

extension Hello: Equatable {
    package static func == (left: Hello, right: Hello) -> Bool {
        left.minimumVersion == right.minimumVersion && left.maximumVersion == right.maximumVersion
            && left.features == right.features && left.token.isSame(as: right.token)
            && left.agent.hasSameBytes(as: right.agent)
    }
}

extension Hello {
    private enum Number {
        static let magic = 1
        static let minimumVersion = 2
        static let maximumVersion = 3
        static let features = 4
        static let token = 5
        static let agent = 6
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(minimumVersion: 0, maximumVersion: 0, features: [])
        var hasMagic = false
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.magic: hasMagic = try reader.body().isSame(as: WireProtocol.magic)
            case Number.minimumVersion: minimumVersion = try reader.uint32()
            case Number.maximumVersion: maximumVersion = try reader.uint32()
            case Number.features: features = Features(rawValue: try reader.uint64())
            case Number.token:
                guard let known = try reader.token() else { throw .token }
                token = known
            case Number.agent: agent = try reader.label().shown
            default: try reader.skip()
            }
        }
        guard hasMagic else { throw .handshake }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.magic, nonempty: "\(WireProtocol.magic)")
        writer.write(Number.minimumVersion, nonzero: minimumVersion)
        writer.write(Number.maximumVersion, nonzero: maximumVersion)
        writer.write(Number.features, nonzero: features.rawValue)
        writer.write(Number.token, nonempty: token.shown)
        writer.write(Number.agent, nonempty: agent)
    }
}
