import ArgumentParser
import CollSync
import Glibc
import ServerSupport
import SyncClient
import SyncServer
import Testing

@testable import collsync_cli

/// Where the program gets its tokens, and how it ends without one.
@Suite struct TokenOptionsTests {
    private let folder: TemporaryFolder
    private let file: TokenFile

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(path: folder.path("token"))
    }

    private func write(_ text: String) throws {
        let descriptor = open(file.path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try Output(descriptor: descriptor).write(bytes: Array(text.utf8))
    }

    private func options(
        _ arguments: String..., in environment: [String: String] = [:]
    ) throws -> ResolvedOptions {
        let command = try #require(try CollSyncCLI.parseAsRoot(arguments) as? Rooms)
        return command.options.resolved(command.parent.options) { environment[$0] }
    }

    // MARK: Options

    @Test func optionsStandBeforeOrBehind() throws {
        let token = TokenOrigin.file(TokenFile(path: "f"))
        #expect(try options("rooms").token == nil)
        #expect(try options("rooms", "--token-file", "f").token == token)
        #expect(try options("--token-file", "f", "rooms").token == token)
        #expect(try options("--token-file", "e", "rooms", "--token-file", "f").token == token)
        #expect(try !options("rooms").sendsTokenInClear)
        #expect(try options("rooms", "--token-in-clear").sendsTokenInClear)
        #expect(try options("--token-in-clear", "rooms").sendsTokenInClear)
    }

    @Test func theEnvironmentIsLast() throws {
        let options = try options("rooms", in: ["COLLSYNC_TOKEN": "secret"])
        #expect(options.token == .text(AccessToken("secret")))
        #expect(!"\(options)".contains("secret"))
        #expect(
            try self.options("rooms", "--token-file", "f", in: ["COLLSYNC_TOKEN": "secret"]).token
                == .file(TokenFile(path: "f")))
    }

    /// Other users of the machine would see it.
    @Test func noOptionTakesTheToken() {
        #expect(throws: (any Error).self) {
            try CollSyncCLI.parseAsRoot(["rooms", "--token", "secret"])
        }
    }

    // MARK: Files

    @Test func whiteSpaceIsTrimmed() throws {
        for text in ["secret", "secret\n", " \n\tsecret \r\n\n"] {
            try write(text)
            #expect(try file.read() == "secret")
        }
        try write("another")
        #expect(try file.read() == "another", "it is read each time")
    }

    @Test func aFileIsBounded() throws {
        try write(String(repeating: "x", count: 8_192))
        #expect(try file.read().utf8.count == 8_192)
        try write(String(repeating: "x", count: 8_193))
        expectFailure("more than 8192 bytes")
        try write(String(repeating: " ", count: 9_000) + "x")
        expectFailure("more than 8192 bytes")
        #expect(throws: CollectionError.self) { try TokenFile(path: "/dev/zero").read() }
    }

    @Test func aFileWithoutATokenIsRefused() throws {
        expectFailure("No such file")
        for text in ["", " \n "] {
            try write(text)
            expectFailure("it is empty")
        }
        let descriptor = open(file.path, O_TRUNC | O_WRONLY)
        try Output(descriptor: descriptor).write(bytes: [0x61, 0xFF])
        close(descriptor)
        expectFailure("not UTF-8")
        #expect(throws: CollectionError.self) { try TokenFile(path: "/").read() }
    }

    private func expectFailure(
        _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            _ = try file.read()
            Issue.record("it was read", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == "badTokenFile", sourceLocation: sourceLocation)
            #expect(error.retry, "it may be written later", sourceLocation: sourceLocation)
            #expect(
                error.message.contains(file.path) && error.message.contains(reason), "\(error)",
                sourceLocation: sourceLocation)
        }
    }

    // MARK: Connecting

    @Test func aRefusedTokenIsNotAllowed() async throws {
        let server = try await LocalServer.start { $0.tokens = TokenAuthentication(PlainTokens()) }
        let address = server.address
        var options = ResolvedOptions(server: address, printsJSON: true)
        await expectFailure(options, 77, "asks for a token", "--token-file says which file")
        options.token = .file(file)
        await expectFailure(options, 64, "cannot read the token in", "No such file")
        try write("secret")
        await expectFailure(options, 77, "\(address): it is no token")
        try write("ada:editor:1")
        await expectFailure(options, 77, "\(address): it has expired")
        options.server = "192.0.2.1:7420"
        await expectFailure(options, 69, "a token is only sent by TLS", "add --tls")
        options.server = address
        try write(PlainTokens.token("ada"))
        try await options.connect().close()
        options.token = .text(AccessToken(PlainTokens.token("ada")))
        try await options.connect().close()
    }

    private func expectFailure(
        _ options: ResolvedOptions, _ exitCode: Int32, _ parts: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            try await options.connect().close()
            Issue.record("it was let in", sourceLocation: sourceLocation)
        } catch {
            let failure = error as? Failure
            #expect(failure?.exitCode == exitCode, "\(error)", sourceLocation: sourceLocation)
            for part in parts {
                #expect(
                    failure?.message.contains(part) == true, "\(error)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// Also when it is refused later on.
    @Test(arguments: ["needsToken", "badToken", "unknownKey", "tokenExpired", "tokenRevoked"])
    func aTokenIsRefusedLater(_ code: String) {
        #expect(Failure(CollectionError(code: code, message: "no")).exitCode == 77)
        #expect(Failure(CollectionError(code: code, message: "no", retry: true)).exitCode == 77)
    }
}
