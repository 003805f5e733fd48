package import SyncBytes
package import SyncModel

/// The protocol's message `Superseded`.
extension Superseded {
    /// Reads a body, which may be anything.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(FieldError) { try self.init(fields: bytes) } catch { throw WireError(error) }
    }

    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var operation = 0
        var reason = Reason.unknown
        var changed: GuardedChanges = []
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: operation = try reader.index()
            case 2: reason = Reason(number: try reader.uint32())
            case 3: changed = GuardedChanges(rawValue: try reader.uint32())
            default: try reader.skip()
            }
        }
        self.init(operation: operation, reason: reason, changed: changed)
    }

    /// Writes a body.
    package func write(to writer: inout ByteWriter) {
        writer.write(1, index: operation)
        writer.write(2, nonzero: UInt32(reason.rawValue))
        writer.write(3, nonzero: changed.rawValue)
    }
}

/// The protocol's message `Rejection`.
extension Rejection {
    /// Reads a body, which may be anything.
    package init(parsing bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(FieldError) { try self.init(fields: bytes) } catch { throw WireError(error) }
    }

    init(fields bytes: UnsafeRawBufferPointer) throws(FieldError) {
        var operation: Int?
        var code = Code.unknown
        var message = ""
        var wait: UInt32 = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            switch field {
            case 1: operation = try reader.index()
            case 2: code = Code(number: try reader.uint32())
            case 3: message = try reader.sentence().shown
            case 4: wait = try reader.uint32()
            default: try reader.skip()
            }
        }
        self.init(
            operation: operation, code: code, message: message, retryAfterMilliseconds: wait)
    }

    /// Writes a body.
    package func write(to writer: inout ByteWriter) {
        if let operation { writer.write(field: 1, varint: UInt64(UInt32(clamping: operation))) }
        writer.write(2, nonzero: UInt32(code.rawValue))
        writer.write(3, nonempty: message)
        writer.write(4, nonzero: retryAfterMilliseconds)
    }
}

extension Superseded.Reason {
    fileprivate init(number: UInt32) {
        self = UInt8(exactly: number).flatMap(Self.init(rawValue:)) ?? .unknown
    }
}

extension Rejection.Code {
    fileprivate init(number: UInt32) {
        self = UInt8(exactly: number).flatMap(Self.init(rawValue:)) ?? .unknown
    }

    /// Whether the same transaction may be accepted later.
    package var retry: Bool { self == .unavailable }
}
