import Foundation
import SyncServer
import SyncTokens
import Testing

@testable import collsync

/// What the flags of `collsync serve` set that are neither limits nor on their own in another test.
@Suite struct ServeFlagTests {
    /// All that such flags set.
    private struct Settings: Equatable {
        var maximumTokenSeconds: UInt64 = 86_400
        var maximumShareSeconds: UInt64 = 86_400
        var audience = "collsync"
        var takesTokensFromAnywhere: Bool? = false
        var letsUsersShare = false
        var historyMilliseconds: UInt64?
        var auditBytes = 256 << 20
        var auditMilliseconds: UInt64 = 90 * 86_400_000
        var addressMilliseconds: UInt64 = 30 * 86_400_000

        init() {}

        init(of command: ServeCommand, _ verifier: KeyVerifier?) {
            let policy = command.tokens.policy.policy
            maximumTokenSeconds = policy.maximumLifetime
            maximumShareSeconds = policy.maximumShareLifetime
            audience = policy.audience
            let files = ReloadedFiles(
                security: nil, verifier: verifier, keyFiles: command.tokens.keyFiles)
            let configuration = command.makeConfiguration(files, nil)
            takesTokensFromAnywhere = configuration.tokens?.areTakenFromAnywhere
            historyMilliseconds = configuration.storage.historyMilliseconds
            letsUsersShare = configuration.tokens?.issuer != nil
            let trail = command.audit.policy
            auditBytes = trail.bytes
            auditMilliseconds = trail.age
            addressMilliseconds = trail.addressAge
        }
    }

    private func makeVerifier() throws -> KeyVerifier {
        let key = try NewKey(.hs256, id: "main")
        return KeyVerifier(try KeyRing(try SignatureKey.read(key.signing, named: "main")))
    }

    @Test func eachFlagSetsOneThing() throws {
        let verifier = try makeVerifier()
        let flags: [(flag: [String], change: (inout Settings) -> Void)] = [
            ([], { _ in }),
            (
                ["--max-token-lifetime", "2h"],
                {
                    $0.maximumTokenSeconds = 7200
                    $0.maximumShareSeconds = 7200
                }
            ),
            (
                ["--max-token-lifetime", "1500ms"],
                {
                    $0.maximumTokenSeconds = 1
                    $0.maximumShareSeconds = 1
                }
            ),
            (["--share-lifetime", "7d"], { $0.maximumShareSeconds = 604_800 }),
            (["--audience", "here"], { $0.audience = "here" }),
            (["--tls-by-proxy"], { $0.takesTokensFromAnywhere = true }),
            (["--share-rooms"], { $0.letsUsersShare = true }),
            (["--history", "all"], { $0.historyMilliseconds = nil }),
            (["--history", "30d"], { $0.historyMilliseconds = 2_592_000_000 }),
            (["--history", "90s"], { $0.historyMilliseconds = 90_000 }),
            (["--audit-bytes", "2M"], { $0.auditBytes = 2 << 20 }),
            (["--audit-days", "7"], { $0.auditMilliseconds = 604_800_000 }),
            (["--keep-addresses", "12h"], { $0.addressMilliseconds = 43_200_000 }),
            (["--keep-addresses", "0s"], { $0.addressMilliseconds = 0 }),
        ]
        for (flag, change) in flags {
            var expected = Settings()
            change(&expected)
            let command = try ServeCommand.parse(["--auth-key", "k"] + flag)
            #expect(Settings(of: command, verifier) == expected, "\(flag)")
        }
        let usual = try ServeCommand.parse([])
        #expect(Settings(of: usual, nil).takesTokensFromAnywhere == nil)
    }

    @Test(arguments: [
        ["--tls-by-proxy"], ["--share-rooms"], ["--revocations", "r"],
        ["--auth", "none", "--auth-key", "k"],
        ["--auth-key", "k", "--max-token-lifetime", "999ms"],
        ["--auth-key", "k", "--share-lifetime", "999ms"], ["--audit-bytes", "1023K"],
        ["--audit-days", "0"], ["--audit-days", "36501"], ["--keep-addresses", "59m"],
    ])
    func whatMakesNoSenseIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try ServeCommand.parse(arguments) }
    }
}
