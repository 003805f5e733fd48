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

    /// Values for flags whose default is no number, or is not in the help.
    private static let values = [
        "listen": "127.0.0.1:9", "http": "127.0.0.1:8", "http-origin": "https://a",
        "trust-proxy": "10.0.0.0/8",
        "metrics": "127.0.0.1:7",
        "data": "folder", "sync": "relaxed", "auth": "none",
        "log-level": "debug", "log-format": "json", "history": "30d", "create-rooms": "off",
        "trusted": "10.0.0.0/8", "tls-cert": "c", "tls-key": "k", "tls-client-ca": "a",
        "auth-key": "k", "share-lifetime": "17m", "audience": "other", "revocations": "r",
        "audit": "off",
        "max-memory": "900M", "max-disk": "900M", "max-members": "17", "max-room-disk": "900M",
        "room-transactions-per-second": "17", "room-bytes-per-second": "900K",
        "transactions-per-second": "17", "bytes-per-second": "900K",
        "user-written-transactions-per-second": "17", "user-written-bytes-per-second": "900K",
        "address-written-transactions-per-second": "17", "address-written-bytes-per-second": "900K",
    ]
    /// Flags that contradict others.
    private static let contradictions: Set = ["memory", "auth", "no-http"]

    /// The flags of the help, with a value for each that is not its default.
    private func flagsOfHelp() throws -> [String: String] {
        var flags: [String: String] = [:]
        let help = ServeCommand.helpMessage(columns: 1000)
        for line in help.matches(of: /(?m)^  --([a-z-]+)(.*(?:\n {20,}.*)?)/).map(\.output) {
            let name = String(line.1)
            if ["config", "version", "help"].contains(name) { continue }
            if FlagNames.ofServe[name] == .toggle {
                flags[name] = "true"
            } else if let value = Self.values[name] {
                flags[name] = value
            } else {
                let found = line.2.firstMatch(of: /\(default: ([0-9]+)([a-zA-Z]*)\)/)?.output
                let usual = try #require(found, "\(name) needs a value")
                let number = try #require(Int(usual.1))
                flags[name] = "\(number > 1 ? number - 1 : 2)\(usual.2)"
            }
        }
        return flags
    }

    private func configuration(of command: ServeCommand) -> ServerConfiguration {
        command.makeConfiguration(
            ReloadedFiles(security: nil, verifier: nil, keyFiles: KeyFiles(paths: [])), nil)
    }

    /// What a running server has when it adopts the limits of a command, by the places in the
    /// configuration.
    private func limits(
        of command: ServeCommand, in usual: ServerConfiguration
    ) -> [String: String] {
        var limits: [String: String] = [:]
        func add(_ value: Any, at place: String) {
            let children = Mirror(reflecting: value).children
            if children.isEmpty { limits[place] = "\(value)" }
            for child in children { add(child.value, at: "\(place).\(child.label ?? "")") }
        }
        add(usual.changed(toLimitsOf: configuration(of: command)), at: "")
        return limits
    }

    /// Each flag of the help can be in the file. Then it counts when the file is read again, or it
    /// is among the options that need a restart. It is never both.
    @Test func eachFlagCanBeSet() throws {
        let flags = try flagsOfHelp()
        #expect(flags.count > 75, "\(flags.count)")
        func parse(_ names: some Collection<String>) throws -> ServeCommand {
            try self.parse(names.map { "\($0): \(flags[$0] ?? "")" }.joined(separator: "\n"))
        }
        let usual = try self.parse("threads: 1")
        let usualConfiguration = configuration(of: usual)
        let usualLimits = limits(of: usual, in: usualConfiguration)
        let fixed = Set(usual.fixedOptions.map(\.name))
        for names in [fixed.subtracting(Self.contradictions), Self.contradictions] {
            let command = try parse(names)
            let changed = zip(usual.fixedOptions, command.fixedOptions).filter { $0 != $1 }
            #expect(Set(changed.map(\.0.name)) == names)
            #expect(limits(of: command, in: usualConfiguration) == usualLimits)
        }
        // To parse is slow, so each file sets half of the limits. A limit is in the files that its
        // number's bits say, and something in the configuration changes with just these files.
        let names = flags.keys.filter { !fixed.contains($0) }.sorted()
        let bits = Int.bitWidth - (names.count - 1).leadingZeroBitCount
        let files = (0..<bits).flatMap { bit in [0, 1].map { (bit, $0) } }
        func isSet(_ number: Int, _ file: (bit: Int, value: Int)) -> Bool {
            number >> file.bit & 1 == file.value
        }
        var changes: [String: [Bool]] = [:]
        for (index, file) in files.enumerated() {
            let command = try parse(names.indices.filter { isSet($0, file) }.map { names[$0] })
            #expect(command.fixedOptions == usual.fixedOptions)
            let limits = limits(of: command, in: usualConfiguration)
            for place in Set(limits.keys).union(usualLimits.keys)
            where limits[place] != usualLimits[place] {
                changes[place, default: files.map { _ in false }][index] = true
            }
        }
        for (number, name) in names.enumerated() {
            let hasEffect = changes.values.contains(files.map { isSet(number, $0) })
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
        (
            "max-rooms: 1\n\nmax-memory: 3X",
            "FILE:3: The value '3X' is invalid for '--max-memory <max-memory>': a size is a number"
        ),
        (
            "history: 3w",
            "FILE:1: The value '3w' is invalid for '--history <history>': a time is a number"
        ),
        ("max-rooms: 1\nmax-views: 0\n", "FILE:2: --max-views is 0, but must be from 1 to"),
        ("max-rooms: 1\ntls-key: x", "FILE:2: --tls-cert and --tls-key belong together"),
        ("create-rooms: false", "FILE:1: The value 'false' is invalid for '--create-rooms "),
        ("max-rooms: 1\nmax-rooms: 2", "FILE:2: 'max-rooms' is given several times"),
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
        ("", "FILE: it has no names with values"), ("# nothing", "FILE: it has no names"),
        ("- a", "FILE:1: it has no names"), ("max-rooms=3", "FILE:1: it has no names"),
        ("? [a]\n: 1", "FILE:1: this is not the name of a flag"),
        ("max-rooms: !!int 5", "FILE:1: types can't be used"),
        ("<<: { max-rooms: 1 }", "FILE:1: there is no flag '<<'"),
        ("audience: &a x", "FILE:1: anchors and aliases can't be used"),
        ("audience: *a", "FILE:1: anchors and aliases can't be used"),
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
        let nested = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(problem(of: "audience: \(nested)") == "FILE:1: 'audience' takes no list")
        #expect(problem(of: "? \(nested)\n: 1") == "FILE:1: this is not the name of a flag")
        for deep in [
            String(repeating: "[", count: 500_000),
            "\n  " + String(repeating: "- ", count: 500_000),
        ] {
            #expect(problem(of: "audience: \(deep)")?.contains("nesting") == true)
        }
        let long = "audience: " + String(repeating: "x", count: 1 << 20)
        #expect(problem(of: long) == "FILE: it is longer than 1048576 bytes")
        let wide = "audience: {" + String(repeating: "a: [b], ", count: 100_000) + "}"
        #expect(problem(of: wide) == "FILE:1: 'audience' takes a single value")
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
