import ArgumentParser
import Foundation
import SyncServer
import SyncTokens
import Testing

@testable import collsync

/// The config file of `collsync serve`.
@Suite struct ConfigFileTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.path("input")
    }

    private func parse(_ text: String, _ arguments: String...) throws -> ServeCommand {
        try Data(text.utf8).write(to: URL(filePath: file))
        return try ServeArguments(["--config", file] + arguments).parse()
    }

    /// Why a file is refused, without its name.
    private func problem(of text: String, _ arguments: String...) -> String? {
        do {
            try Data(text.utf8).write(to: URL(filePath: file))
            _ = try ServeArguments(arguments + ["--config=\(file)"]).parse()
            return nil
        } catch {
            guard let error = error as? ConfigError else { return Collsync.message(for: error) }
            return error.description.replacing(file, with: "FILE")
        }
    }

    // MARK: Flags

    /// Values to use instead of a default; not all fit all flags.
    private static let values = [
        "901", "70001", "33554432", "17", "7s", "none", "off", "json", "debug", "relaxed",
        "10.0.0.0/8", "127.0.0.1:9",
    ]
    /// What a flag needs beside it.
    private static let companions = [
        "tls-cert": "tls-key: k", "tls-key": "tls-cert: c",
        "tls-client-ca": "tls-cert: c\ntls-key: k", "tls-by-proxy": "auth-key: a",
        "revocations": "auth-key: a",
    ]

    private func configuration(of command: ServeCommand) -> ServerConfiguration {
        command.makeConfiguration(
            ReloadedFiles(security: nil, verifier: nil, keyFiles: KeyFiles(paths: [])), nil)
    }

    private func dumped(_ configuration: ServerConfiguration) -> String {
        var text = ""
        dump(configuration, to: &text)
        return text
    }

    /// Each flag of the help can be in the file. Then it counts when the file is read again, or it
    /// is among the options that need a restart. It is never both.
    @Test func eachFlagCanBeSet() throws {
        let help = ServeCommand.helpMessage(columns: 1000)
        let names = Set(help.matches(of: /(?m)^  --([a-z-]+)/).map { String($0.1) })
            .subtracting(["config", "version", "help"])
        #expect(names.count > 75, "\(names.count)")
        let usual = try parse("threads: 1")
        let usualConfiguration = configuration(of: usual)
        let usualText = dumped(usualConfiguration)
        for name in names {
            let values = FlagNames.ofServe[name] == .toggle ? ["true"] : Self.values
            let hasEffect = values.contains { value in
                let text = "\(name): \(value)\n" + (Self.companions[name] ?? "")
                guard let command = try? parse(text) else { return false }
                let needsRestart = zip(usual.fixedOptions, command.fixedOptions)
                    .contains { $0 != $1 && $0.name == name }
                let changed = usualConfiguration.changed(toLimitsOf: configuration(of: command))
                let isLimit = dumped(changed) != usualText
                #expect(!needsRestart || !isLimit, "\(name)")
                return needsRestart || isLimit
            }
            #expect(hasEffect, "\(name)")
        }
    }

    @Test func theCommandLineWins() throws {
        let text = "max-rooms: 5\nmax-views: 6\nauth-key: [a, b]\n"
        let command = try parse(text, "--max-rooms", "7")
        #expect(command.limits.maxRooms == 7)
        #expect(command.limits.maxViews == 6)
        #expect(command.tokens.authKey == ["a", "b"])
        #expect(try parse(text, "--auth-key", "c").tokens.authKey == ["c"])
        #expect(try parse(text, "--auth-key=c", "--auth-key=d").tokens.authKey == ["c", "d"])
        #expect(try parse("auth-key: a").tokens.authKey == ["a"])
    }

    /// YAML 1.1 would read some of these as truth values, numbers or times.
    @Test func valuesAreTexts() throws {
        #expect(try parse("create-rooms: off").createRooms == .off)
        #expect(try parse("create-rooms: \"on\"").createRooms == .on)
        #expect(try parse("audience: 0x10").tokens.policy.audience == "0x10")
        #expect(try parse("audience: 12:30:45").tokens.policy.audience == "12:30:45")
        #expect(try parse("audience: '~'").tokens.policy.audience == "~")
        #expect(try parse("audience: -x").tokens.policy.audience == "-x")
        #expect(try parse("audience: 'true'").tokens.policy.audience == "true")
        #expect(try parse("memory: true").memory)
        #expect(try !parse("memory: false").memory)
        #expect(
            try parse("max-memory: 512M # of 1G").limits.maxMemory == SizeArgument(bytes: 512 << 20)
        )
    }

    @Test func helpNeedsNoFile() {
        #expect(problem(of: "nonsense", "--help")?.contains("ConfigError") == false)
        #expect(problem(of: "nonsense", "--help")?.contains("FILE") == false)
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("max-memmory: 3M", "FILE:1: there is no flag 'max-memmory', did you mean 'max-memory'?"),
        (
            "# x\n--max_rooms: 3",
            "FILE:2: there is no flag '--max_rooms', did you mean 'max-rooms'?"
        ),
        ("nonsense: 3", "FILE:1: there is no flag 'nonsense'"),
        ("help: true", "FILE:1: there is no flag 'help'"),
        ("max-rooms: 1\n\nmax-memory: 3X", "FILE:3: The value '3X' is invalid for '--max-memory "),
        ("max-rooms: 1\nmax-views: 0\n", "FILE:2: --max-views is 0, but must be from 1 to"),
        ("max-rooms: 1\ntls-key: x", "FILE:2: --tls-cert and --tls-key belong together"),
        ("create-rooms: false", "FILE:1: The value 'false' is invalid for '--create-rooms "),
        ("max-rooms: 1\nmax-rooms: 2", "FILE:1: 'max-rooms' is given several times"),
        ("max-rooms: [1]", "FILE:1: 'max-rooms' takes no list"),
        ("max-rooms:\n  a: 1", "FILE:2: 'max-rooms' takes a single value"),
        ("auth-key:\n- a\n- [b]", "FILE:3: 'auth-key' takes a single value"),
        ("auth-key:\n- a\n-", "FILE:3: 'auth-key' has no value"),
        ("memory: yes", "FILE:1: 'memory' is true or false, not 'yes'"),
        ("memory: [true]", "FILE:1: 'memory' takes no list"),
        ("max-rooms: ~", "FILE:1: 'max-rooms' has no value"),
        ("max-members:", "FILE:1: 'max-members' has no value"),
        ("config: other", "FILE:1: a config file can't name another one"),
        ("max-rooms: 1\n---\nmax-rooms: 2", "FILE:2: expected a single document"),
        ("", "FILE: it has no flags with values"), ("# nothing", "FILE: it has no flags"),
        ("- a", "FILE:1: it has no flags"), ("max-rooms=3", "FILE:1: it has no flags"),
        ("? [a]\n: 1", "FILE:1: this is not the name of a flag"),
        ("max-rooms: !!int 5", "FILE:1: types can't be used"),
        ("<<: { max-rooms: 1 }", "FILE:1: there is no flag '<<'"),
        ("audience: &a x", "FILE:1: anchors and aliases can't be used"),
        ("audience: *a", "FILE:1: found undefined alias"),
        ("audience: \"a\\0\"", "FILE:1: the value of 'audience' has a null character"),
        ("max-rooms: 1\naudience: \u{1}", "FILE:2: control characters are not allowed"),
        ("audience: [", "FILE:2: while parsing a flow node"), ("a: b: c", "FILE:1: mapping values"),
    ])
    func aMistakeHasItsPlace(text: String, problem expected: String) {
        let problem = problem(of: text)
        #expect(problem?.hasPrefix(expected) == true, "\(problem ?? "it is accepted")")
    }

    @Test func mistakesOfTheCommandLineAreNotTheFiles() {
        let problem = problem(of: "max-rooms: 1", "--max-rooms", "x")
        #expect(problem?.hasPrefix("The value 'x' is invalid for '--max-rooms") == true)
        #expect(throws: ValidationError.self) {
            try ServeArguments(["--config", "a", "--config=b"])
        }
    }

    /// None of these may take long, or end the program.
    @Test func whatIsTooMuchIsRefused() throws {
        let nested = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        #expect(problem(of: "audience: \(nested)") == "FILE:1: 'audience' takes no list")
        #expect(problem(of: "? \(nested)\n: 1") == "FILE:1: this is not the name of a flag")
        let deep = String(repeating: "[", count: 100_000)
        #expect(problem(of: "audience: \(deep)")?.contains("nesting") == true)
        let long = "audience: " + String(repeating: "x", count: 1 << 20)
        #expect(problem(of: long) == "FILE: it is longer than 1048576 bytes")
        // Each line doubles the one before it, and to use it as a key visits all of it.
        for count in [7, 60] {
            let lines = (1...count).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
            let bomb = "a0: &a0 x\n" + lines.joined(separator: "\n") + "\n? *a\(count)\n: 1"
            let expected = count == 7 ? "FILE:1: there is no flag" : "FILE: aliases can't be used"
            #expect(problem(of: bomb)?.hasPrefix(expected) == true)
        }
    }

    @Test(arguments: ["/dev/zero", "/tmp", "/nonexistent"])
    func onlyFilesAreRead(path: String) throws {
        #expect(throws: ConfigError.self) { try ConfigFile(path: path) }
    }

    /// The sample is a working one.
    @Test func theSampleIsRead() throws {
        let sample = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/config.yaml").standardized.path
        let entries = try ConfigFile(path: sample).entries
        #expect(entries.count > 5)
        _ = try ServeArguments(["--config", sample]).parse()
        // The flags in its comments are right, too, so that a `#` is all to remove.
        let text = try String(contentsOfFile: sample, encoding: .utf8)
        let all = text.replacing(/(?m)^# ?(?=[a-z-]+: )/, with: "")
        let command = try parse(all)
        #expect(command.limits.maxRooms == 10_000)
        #expect(try ConfigFile(path: file).entries.count > entries.count)
    }
}
