import ArgumentParser
import SyncServer
import Testing

@testable import collsync

/// The parsing of limit flags.
@Suite struct LimitOptionsTests {
    /// Values to use instead of a default; not all fit all flags.
    private static let values = ["33554432", "1048583", "70001", "901", "17", "7s", "10.0.0.0/8"]

    private static func flags(in help: String) -> [String] {
        help.matches(of: /--[a-z-]+(?= <)/).map { String($0.output) }
    }

    /// The options of limits, of addresses, and of users.
    private enum Options: CaseIterable {
        case limits
        case addresses
        case users

        var help: String {
            switch self {
            case .limits: LimitOptions.helpMessage(columns: 1000)
            case .addresses: AddressOptions.helpMessage(columns: 1000)
            case .users: UserOptions.helpMessage(columns: 1000)
            }
        }

        func apply(_ arguments: [String], to configuration: inout ServerConfiguration) throws {
            switch self {
            case .limits: try LimitOptions.parse(arguments).apply(to: &configuration)
            case .addresses: try AddressOptions.parse(arguments).apply(to: &configuration)
            case .users: try UserOptions.parse(arguments).apply(to: &configuration)
            }
        }
    }

    private static func configuration(
        _ arguments: [String], of options: Options
    ) throws -> String {
        var configuration = ServerConfiguration()
        try options.apply(arguments, to: &configuration)
        var text = ""
        dump(configuration, to: &text)
        return text
    }

    /// A flag that is read but not passed on has no effect.
    @Test func eachFlagChangesTheConfiguration() throws {
        var count = 0
        for options in Options.allCases {
            let flags = Self.flags(in: options.help)
            count += flags.count
            let usual = try Self.configuration([], of: options)
            // --max-disk counts only for a store on a disk.
            for flag in flags where flag != "--max-disk" {
                let isHeeded = Self.values.contains { value in
                    let changed = try? Self.configuration([flag, value], of: options)
                    return changed.map { $0 != usual } ?? false
                }
                #expect(isHeeded, "\(flag)")
            }
        }
        #expect(count > 50, "\(count)")
    }

    /// A user may have what an address may, unless flags say otherwise.
    @Test func defaultsOfUsersAreThoseOfAddresses() throws {
        var configuration = ServerConfiguration()
        for options in Options.allCases { try options.apply([], to: &configuration) }
        let limits = [configuration.addresses, configuration.users].map { limits in
            var text = ""
            dump(limits, to: &text)
            return text
        }
        #expect(limits[0] == limits[1])
    }

    @Test(arguments: [
        ["--max-requests", "0"], ["--max-presence-items", "1001"],
        ["--max-presence-value", "4097"],
        ["--max-overscan", "-1"], ["--max-bytes-per-layout", "0"],
        ["--max-non-canonical-bytes", "0"],
    ])
    func whatIsOutOfRangeIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try LimitOptions.parse(arguments) }
    }

    @Test(arguments: [
        ("500", 500), ("64K", 65_536), ("16M", 16_777_216), ("2G", 2_147_483_648), ("0", 0),
    ])
    func bytesHaveUnits(_ text: String, bytes: Int) throws {
        #expect(SizeArgument(argument: text)?.bytes == bytes)
        let told = SizeArgument(bytes: bytes).defaultValueDescription
        #expect(SizeArgument(argument: told)?.bytes == bytes)
    }

    @Test(arguments: ["", "K", "-1", "1k", "1.5M", "1 M", "9999999T", "٣"])
    func whatIsNoNumberOfBytesIsRefused(_ text: String) {
        #expect(SizeArgument(argument: text) == nil)
    }

    @Test(arguments: ["30", "", "d", "0", "1.5h", "30 d", "99999999999d"])
    func aTimeHasAUnit(_ text: String) {
        #expect(DurationArgument(argument: text) == nil)
        #expect(HistoryArgument(argument: text) == nil)
    }
}
