package import SyncBytes

/// How values, fields and sizes are written: the protobuf messages of the protocol, in one
/// canonical form, so that equal content is equal bytes in memory, in the store and on the wire.
///
/// Canonical means: fields ascend by name, each name occurs once, a number that is an integer
/// within ±2^53 is written as one, and lengths and varints are in their shortest form.
package enum ValueCoding {
    /// Field numbers of the message `Value`.
    package enum Kind {
        package static let null = 1
        package static let bool = 2
        package static let integer = 3
        package static let double = 4
        package static let text = 5
        package static let list = 6
        package static let object = 7
    }

    // MARK: Writing

    package static func write(
        _ value: Value, to writer: inout ByteWriter, depth: Int = 0
    ) throws(ModelError) {
        switch value {
        case .null: writer.write(field: Kind.null, varint: 1)
        case .bool(let flag): writer.write(field: Kind.bool, varint: flag ? 1 : 0)
        case .number(let number): try write(number: number, to: &writer)
        case .text(let text): writer.write(field: Kind.text, utf8Of: text)
        case .list(let values):
            guard depth < Value.maximumDepth else { throw .tooDeep }
            writer.write(tag: Kind.list, .lengthDelimited)
            let mark = writer.beginLengthDelimited()
            for value in values {
                writer.write(tag: 1, .lengthDelimited)
                let inner = writer.beginLengthDelimited()
                try write(value, to: &writer, depth: depth + 1)
                writer.endLengthDelimited(inner)
            }
            writer.endLengthDelimited(mark)
        case .object(let fields):
            guard depth < Value.maximumDepth else { throw .tooDeep }
            writer.write(tag: Kind.object, .lengthDelimited)
            let mark = writer.beginLengthDelimited()
            try write(fields, as: 1, to: &writer, depth: depth + 1)
            writer.endLengthDelimited(mark)
        }
    }

    private static func write(number: Double, to writer: inout ByteWriter) throws(ModelError) {
        guard number.isFinite else { throw .badNumber }
        if Value.exactIntegers.contains(number), number == Double(Int64(number)) {
            writer.write(tag: Kind.integer, .varint)
            writer.write(zigzag: Int64(number))
        } else {
            writer.write(field: Kind.double, double: number)
        }
    }

    /// Writes fields sorted by name, each as field number `field` of the message around them.
    package static func write(
        _ fields: [Field], as field: Int, to writer: inout ByteWriter, depth: Int = 0
    ) throws(ModelError) {
        let sorted = isStrictlyAscending(fields) ? fields : fields.sorted { $0.name < $1.name }
        for index in sorted.indices {
            if index > 0, sorted[index - 1].name == sorted[index].name {
                throw .duplicateName(sorted[index].name.text)
            }
            writer.write(tag: field, .lengthDelimited)
            let mark = writer.beginLengthDelimited()
            try write(sorted[index], to: &writer, depth: depth)
            writer.endLengthDelimited(mark)
        }
    }

    private static func isStrictlyAscending(_ fields: [Field]) -> Bool {
        fields.count < 2 || zip(fields, fields.dropFirst()).allSatisfy { $0.name < $1.name }
    }

    /// Writes the body of a message `Field`.
    package static func write(
        _ field: Field, to writer: inout ByteWriter, depth: Int = 0
    ) throws(ModelError) {
        writer.write(field: 1, utf8Of: field.name.text)
        writer.write(tag: 2, .lengthDelimited)
        let mark = writer.beginLengthDelimited()
        try write(field.value, to: &writer, depth: depth)
        writer.endLengthDelimited(mark)
    }

    /// Writes the body of a message `Size`; zeros are left out, as protobuf does.
    package static func write(_ size: ListSize, to writer: inout ByteWriter) throws(ModelError) {
        guard size.width.isFinite, size.height.isFinite else { throw .badNumber }
        if size.width != 0 { writer.write(field: 1, double: size.width) }
        if size.height != 0 { writer.write(field: 2, double: size.height) }
    }

    // MARK: Reading

    package static func readValue(
        _ bytes: UnsafeRawBufferPointer, depth: Int = 0
    ) throws(ModelError) -> Value {
        var reader = ByteReader(bytes)
        var value: Value?
        do {
            while let (field, type) = try reader.readTag() {
                switch (field, type) {
                case (Kind.null, .varint):
                    _ = try reader.readVarint()
                    value = .null
                case (Kind.bool, .varint): value = .bool(try reader.readVarint() != 0)
                case (Kind.integer, .varint):
                    let integer = try reader.readZigzag()
                    guard integer.magnitude <= Value.largestInteger else {
                        throw ModelError.inexactInteger("")
                    }
                    value = .number(Double(integer))
                case (Kind.double, .fixed64): value = .number(try reader.readDouble())
                case (Kind.text, .lengthDelimited): value = .text(try reader.readText())
                case (Kind.list, .lengthDelimited), (Kind.object, .lengthDelimited):
                    let body = try reader.readLengthDelimited()
                    value = try nested(body, isList: field == Kind.list, depth: depth)
                default: try reader.skip(type)
                }
            }
        } catch {
            throw ModelError(error)
        }
        guard let value else { throw .malformed }
        if case .number(let number) = value, !number.isFinite { throw .badNumber }
        return value
    }

    /// Reads a list or an object.
    private static func nested(
        _ body: UnsafeRawBufferPointer, isList: Bool, depth: Int
    ) throws(ModelError) -> Value {
        guard depth < Value.maximumDepth else { throw .tooDeep }
        var reader = ByteReader(body)
        var values: [Value] = []
        var fields: [Field] = []
        while let part = try part(1, of: &reader) {
            if isList {
                values.append(try readValue(part, depth: depth + 1))
            } else {
                fields.append(try readField(part, depth: depth + 1))
            }
        }
        return isList ? .list(values) : .object(try sorted(fields))
    }

    /// The next length-delimited field with number `field`, passing over others; `nil` at the end.
    package static func part(
        _ field: Int, of reader: inout ByteReader
    ) throws(ModelError) -> UnsafeRawBufferPointer? {
        do {
            while let (number, type) = try reader.readTag() {
                if number == field, type == .lengthDelimited {
                    return try reader.readLengthDelimited()
                }
                try reader.skip(type)
            }
            return nil
        } catch {
            throw ModelError(error)
        }
    }

    package static func readField(
        _ bytes: UnsafeRawBufferPointer, depth: Int = 0
    ) throws(ModelError) -> Field {
        var reader = ByteReader(bytes)
        var name: Identifier?
        var value: Value?
        do {
            while let (field, type) = try reader.readTag() {
                switch (field, type) {
                case (1, .lengthDelimited):
                    name = try Identifier(bytes: try reader.readLengthDelimited())
                case (2, .lengthDelimited):
                    value = try readValue(try reader.readLengthDelimited(), depth: depth)
                default: try reader.skip(type)
                }
            }
        } catch {
            throw ModelError(error).within(name)
        }
        guard let name, let value else { throw .malformed }
        return Field(name: name, value: value)
    }

    @inline(__always)
    package static func readSize(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> ListSize {
        let size: ListSize
        if let both = readBothNumbers(bytes) { size = both } else { size = try readSomeSize(bytes) }
        guard size.width.isFinite, size.height.isFinite else { throw .badNumber }
        return size
    }

    /// Reads a size as most are written: both numbers, each behind its tag.
    @inline(__always)
    private static func readBothNumbers(_ bytes: UnsafeRawBufferPointer) -> ListSize? {
        let tags: (width: UInt8, height: UInt8) = (
            1 << 3 | WireType.fixed64.rawValue, 2 << 3 | WireType.fixed64.rawValue
        )
        guard bytes.count == 18, bytes[0] == tags.width, bytes[9] == tags.height else { return nil }
        let width = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        let height = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 10, as: UInt64.self))
        return ListSize(width: Double(bitPattern: width), height: Double(bitPattern: height))
    }

    @inline(never)
    private static func readSomeSize(
        _ bytes: UnsafeRawBufferPointer
    ) throws(ModelError) -> ListSize {
        var reader = ByteReader(bytes)
        var size = ListSize(width: 0, height: 0)
        do {
            while let (field, type) = try reader.readTag() {
                switch (field, type) {
                case (1, .fixed64): size.width = try reader.readDouble()
                case (2, .fixed64): size.height = try reader.readDouble()
                default: try reader.skip(type)
                }
            }
        } catch {
            throw ModelError(error)
        }
        return size
    }

    /// Fields sorted by name.
    package static func sorted(_ fields: [Field]) throws(ModelError) -> [Field] {
        if isStrictlyAscending(fields) { return fields }
        let sorted = fields.sorted { $0.name < $1.name }
        for index in sorted.indices.dropFirst() where sorted[index - 1].name == sorted[index].name {
            throw .duplicateName(sorted[index].name.text)
        }
        return sorted
    }
}

extension ModelError {
    /// The same error with a field's name before its path.
    fileprivate func within(_ field: Identifier?) -> ModelError {
        guard case .inexactInteger(let inner) = self, let field else { return self }
        return .inexactInteger(inner.isEmpty ? field.text : "\(field.text).\(inner)")
    }
}
