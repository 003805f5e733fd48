import Foundation
import SyncBytes
import SyncTokens
import Testing

@testable import collsync

/// The keys of tokens, as files and folders have them.
@Suite struct KeyFileTests {
    /// A folder, which is removed with this object.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "collsync-test-\(UUID().uuidString)").path

        init() throws {
            try FileManager.default.createDirectory(
                atPath: "\(path)/more", withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        @discardableResult
        func write(_ text: String, to name: String) throws -> String {
            try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
            return "\(path)/\(name)"
        }
    }

    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private func read(_ paths: String...) throws -> KeyRing {
        try KeyFiles(paths: paths).read()
    }

    private func problem(of paths: String...) -> String? {
        let error = #expect(throws: KeyError.self) {
            _ = try KeyFiles(paths: paths).read()
        }
        return error?.description
    }

    private func publicKey(_ algorithm: SignatureAlgorithm = .eddsa) throws -> String {
        try #require(try NewKey(algorithm, id: "").verifying)
    }

    private func secret(_ id: String) throws -> String { try NewKey(.hs256, id: id).signing }

    @Test func aFolderHasKeysOfAllKinds() throws {
        try folder.write(try publicKey(), to: "ed.public.pem")
        try folder.write(try publicKey(.es256), to: "ec.pem")
        try folder.write(try secret("hs"), to: "named-otherwise.secret.json")
        try folder.write(try secret("one"), to: "one.jwk")
        try folder.write(
            #"{"keys":[\#(try secret("first")),\#(try secret("second"))]}"#, to: "set.jwks")
        for name in ["notes.txt", "key.pem.old", ".hidden.pem"] {
            try folder.write("no key", to: name)
        }
        let ring = try read(folder.path)
        #expect(ring.ids.sorted() == ["ec", "ed", "first", "hs", "one", "second"])
        #expect(ring["ed"]?.algorithm == .eddsa && ring["ed"]?.signs == false)
        #expect(ring["ec"]?.algorithm == .es256 && ring["ec"]?.signs == false)
        #expect(ring["hs"]?.algorithm == .hs256 && ring["hs"]?.signs == true)
    }

    @Test func filesAndFoldersAreReadTogether() throws {
        let one = try folder.write(try publicKey(), to: "one.public.pem")
        // A file that is named itself needs no ending.
        let two = try folder.write(try secret("two"), to: "two")
        try folder.write(try publicKey(.es256), to: "more/three.pem")
        let ring = try read(one, two, "\(folder.path)/more")
        #expect(ring.ids.sorted() == ["one", "three", "two"])
        #expect(try read(two).ids == ["two"])
    }

    @Test func aMistakeNamesItsFile() throws {
        let more = "\(folder.path)/more"
        #expect(problem(of: more)?.hasPrefix("\(more): no file ends in .pem") == true)
        let good = try folder.write(try publicKey(), to: "more/a.pem")
        let again = try folder.write(try publicKey(), to: "a.public.pem")
        #expect(problem(of: good, again) == "two keys have the id 'a'")
        let none = "\(folder.path)/none"
        #expect(problem(of: none)?.hasPrefix("\(none): ") == true)
        let bad = try folder.write("nonsense", to: "more/b.pem")
        #expect(problem(of: more)?.hasPrefix("\(bad): ") == true)
        try Data([0xFF]).write(to: URL(filePath: bad))
        #expect(problem(of: more) == "\(bad): this is no text")
        try Data(count: 1 << 20 | 1).write(to: URL(filePath: bad))
        #expect(problem(of: more) == "\(bad): it is longer than 1048576 bytes")
    }

    /// What the verifier of a server asks of a token is what the flags say.
    @Test func theVerifierHasThePolicyOfTheFlags() throws {
        let text = try secret("main")
        let file = try folder.write(text, to: "main.secret.json")
        let key = try #require(try SignatureKey.read(text, named: "main").first)
        func verify(lifetime: UInt64, audience: String, _ flags: String...) throws -> Bool {
            var claims = Claims(
                user: "ann", id: "t", issued: 1000, expires: 1000 + lifetime, rooms: [:])
            claims.aud = .one(audience)
            let token = try WebToken.sign(claims, by: key)
            let verifier = try TokenOptions.parse(["--auth-key", file] + flags).makeVerifier()
            return (try? verifier?.verify(ForeignText(bounded: token), at: 1000)) != nil
        }
        let day: UInt64 = 86_400
        #expect(try verify(lifetime: day, audience: "collsync"))
        #expect(try !verify(lifetime: day + 1, audience: "collsync"))
        #expect(try !verify(lifetime: day, audience: "here"))
        #expect(try verify(lifetime: day, audience: "here", "--audience", "here"))
        #expect(
            try verify(lifetime: 2 * day, audience: "collsync", "--max-token-lifetime", "2d"))
        #expect(
            try !verify(lifetime: 61, audience: "collsync", "--max-token-lifetime", "1m"))
    }
}
