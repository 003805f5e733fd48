import SyncBytes
package import SyncModel

/// A quota is nearly used up. A server says so before it refuses anything for it.
package struct NearLimit: Sendable, Equatable {
    /// The room whose quota it is; 0 for one of the connection's user or address.
    package var room: RoomHandle
    package var use: QuotaUse

    package init(room: RoomHandle, _ use: QuotaUse) {
        self.room = room
        self.use = use
    }
}

extension NearLimit {
    private enum Number {
        static let room = 1
        static let what = 2
        static let used = 3
        static let limit = 4
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws(FieldError) {
        self.init(room: 0, QuotaUse(.unknown, used: 0, limit: 0))
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case Number.room: room = try reader.uint32()
            case Number.what: use.quota = Quota(number: try reader.uint32())
            case Number.used: use.used = try reader.number()
            case Number.limit: use.limit = try reader.number()
            default: try reader.skip()
            }
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(Number.room, nonzero: room)
        writer.write(Number.what, nonzero: UInt32(use.quota.rawValue))
        writer.write(Number.used, nonzero: use.used)
        writer.write(Number.limit, nonzero: use.limit)
    }
}

extension Quota {
    fileprivate init(number: UInt32) {
        self = UInt8(exactly: number).flatMap(Self.init(rawValue:)) ?? .unknown
    }
}

extension QuotaUse {
    /// Makes a use from a server's counts. Greater numbers than a server may send are cut.
    package init(_ quota: Quota, _ used: Int, of limit: Int) {
        func cut(_ count: Int) -> UInt64 {
            min(UInt64(clamping: count), WireProtocol.greatestNumber)
        }
        self.init(quota, used: cut(used), limit: cut(limit))
    }
}
