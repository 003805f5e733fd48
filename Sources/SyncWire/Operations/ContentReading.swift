import SyncBytes
import SyncModel

/// Content of items and sections that a client sends: within the limits.
extension FieldReader {
    mutating func item(_ limits: WireLimits) throws(FieldError) -> Item {
        let bytes = try body()
        try limits.check(contentBytes: bytes.count)
        if let item = CanonicalContent.item(bytes, maximumFields: limits.contentFields) {
            return item
        }
        try FieldReader.checkItemFields(bytes, limits)
        do throws(ModelError) { return try Item(parsing: bytes) } catch { throw .model(error) }
    }

    mutating func section(_ limits: WireLimits) throws(FieldError) -> ListSection {
        let bytes = try body()
        try limits.check(contentBytes: bytes.count)
        if let section = CanonicalContent.section(bytes, maximumFields: limits.contentFields) {
            return section
        }
        try FieldReader.checkSectionFields(bytes, limits)
        do throws(ModelError) { return try ListSection(parsing: bytes) } catch {
            throw .model(error)
        }
    }

    mutating func field(into list: inout [Field], _ limits: WireLimits) throws(FieldError) {
        try limits.check(contentFields: list.count + 1)
        let bytes = try body()
        do throws(ModelError) {
            list.append(try ValueCoding.readField(bytes))
        } catch {
            throw .model(error)
        }
    }

    mutating func name(into list: inout [Identifier], _ limits: WireLimits) throws(FieldError) {
        try limits.check(contentFields: list.count + 1)
        list.append(try identifier())
    }

    mutating func size() throws(FieldError) -> ListSize {
        let bytes = try body()
        do throws(ModelError) {
            return try ValueCoding.readSize(bytes)
        } catch {
            throw .model(error)
        }
    }

    mutating func supplementary() throws(FieldError) -> Supplementary {
        let bytes = try body()
        do throws(ModelError) {
            return try Supplementary(parsing: bytes)
        } catch {
            throw .model(error)
        }
    }

    /// Flags that change; unknown ones are skipped.
    mutating func flags<Flags: KnownFlags>() throws(FieldError) -> FlagChanges<Flags> {
        let bytes = try body()
        do throws(ModelError) {
            let (changed, enabled) = try FlagBits.readChanges(bytes)
            return FlagChanges(
                changed: Flags(rawValue: changed & Flags.all.rawValue),
                enabled: Flags(rawValue: enabled & Flags.all.rawValue))
        } catch {
            throw .model(error)
        }
    }

    static func sorted(_ fields: [Field]) throws(FieldError) -> [Field] {
        do throws(ModelError) {
            return try ValueCoding.sorted(fields)
        } catch {
            throw .model(error)
        }
    }

    /// Checks how many fields an item's body has.
    static func checkItemFields(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) {
        try limits.check(contentFields: count(ItemContent.Number.fields, in: bytes))
    }

    /// Checks how many fields and supplementaries a section's body has.
    static func checkSectionFields(
        _ bytes: UnsafeRawBufferPointer, _ limits: WireLimits
    ) throws(FieldError) {
        for number in [SectionContent.Number.fields, SectionContent.Number.supplementaries] {
            try limits.check(contentFields: count(number, in: bytes))
        }
    }

    /// How often a field occurs in a message.
    static func count(
        _ number: Int, in bytes: UnsafeRawBufferPointer
    ) throws(FieldError) -> Int {
        var count = 0
        var reader = FieldReader(bytes)
        while let field = try reader.next() {
            if field == number { count += 1 }
            try reader.skip()
        }
        return count
    }
}

/// Flags with a set of all known ones.
protocol KnownFlags: OptionSet where RawValue == UInt8, Self: Sendable {
    static var all: Self { get }
}

extension ItemFlags: KnownFlags {}
extension SectionFlags: KnownFlags {}

extension WireLimits {
    func check(contentBytes bytes: Int) throws(FieldError) {
        guard bytes <= contentBytes else {
            throw .limit("an item's or a section's content has \(bytes) of \(contentBytes) bytes")
        }
    }

    func check(contentFields fields: Int) throws(FieldError) {
        guard fields <= contentFields else {
            throw .limit("an item or a section has \(fields) of \(contentFields) fields")
        }
    }
}
