import ArgumentParser
import SyncServer
import Testing

@testable import collsync

/// The flags of limits, as they are read.
@Suite struct LimitOptionsTests {
    /// What may be said instead of a default; not all fit all flags.
    private static let values = ["33554432", "1048583", "70001", "901", "17", "7s"]

    private static func flags(in help: String) -> [String] {
        help.matches(of: /--[a-z-]+(?= <)/).map { String($0.output) }
    }

    private static func configuration(_ arguments: [String]) throws -> String {
        var configuration = ServerConfiguration()
        try LimitOptions.parse(arguments).apply(to: &configuration)
        var text = ""
        dump(configuration, to: &text)
        return text
    }

    /// A flag that is read and passed on to nobody does nothing.
    @Test func eachFlagChangesTheConfiguration() throws {
        let flags = Self.flags(in: LimitOptions.helpMessage(columns: 1000))
        #expect(flags.count > 35, "\(flags)")
        let usual = try Self.configuration([])
        // --max-disk counts only where there is a store on a disk.
        for flag in flags where flag != "--max-disk" {
            let isHeeded = Self.values.contains { value in
                let changed = try? Self.configuration([flag, value])
                return changed.map { $0 != usual } ?? false
            }
            #expect(isHeeded, "\(flag)")
        }
    }

    @Test(arguments: [
        ["--max-requests", "0"], ["--max-presence-items", "1001"],
        ["--max-presence-value", "4097"],
        ["--max-overscan", "-1"], ["--max-layout-json", "0"], ["--max-bytes-per-layout", "0"],
        ["--max-non-canonical-bytes", "0"],
    ])
    func whatIsOutOfRangeIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try LimitOptions.parse(arguments) }
    }
}
