import SyncAccess
import SyncModel
import Testing

@Suite("Revocations")
struct RevocationTests {
    private func access(
        _ user: UserName = "ann", id: Identifier = "t", key: Identifier = "k", issued: UInt64 = 100
    ) -> Access {
        Access(
            user: user, grants: [],
            token: TokenFacts(id: id, key: key, issued: issued, expires: issued + 10))
    }

    private func set(_ revocations: Revocation...) -> Revocations {
        var set = Revocations()
        for revocation in revocations { set.insert(revocation) }
        return set
    }

    @Test("take back what they name, and nothing else")
    func subjects() {
        #expect(!Revocations().cover(access()))
        #expect(set(.token("t")).cover(access()) && !set(.token("u")).cover(access()))
        #expect(set(.key("k")).cover(access()) && !set(.key("t")).cover(access()))
        #expect(set(.user("ann", through: 100)).cover(access()))
        #expect(!set(.user("ann", through: 99)).cover(access()))
        #expect(!set(.user("ben", through: 500)).cover(access()))
        #expect(set(.all(through: 100)).cover(access()))
        #expect(!set(.all(through: 99)).cover(access()))
        let anybody = Access(unlimited: "ann")
        #expect(!set(.all(through: 500), .user("ann", through: 500)).cover(anybody))
    }

    @Test("of a role leave the rest, and end what was shared")
    func roles() throws {
        let (room, other) = (try #require(RoomName("team-a")), try #require(RoomName("team-b")))
        func ann(issued: UInt64) throws -> Access {
            Access(
                user: "ann", grants: [Grant(.admin, in: .all)],
                token: TokenFacts(id: "t", key: "k", issued: issued, expires: issued + 10))
        }
        let revocations = set(.role(of: "ann", in: room, through: 100))
        let rest = try #require(revocations.remainder(of: try ann(issued: 100)))
        #expect(rest.role(in: room) == nil && rest.role(in: other) == .admin)
        #expect(!rest.roles.has(.viewer, inAllRooms: ()))
        // What is left is left as it is.
        #expect(revocations.remainder(of: rest)?.roles == rest.roles)
        let later = try ann(issued: 101)
        #expect(revocations.remainder(of: later)?.roles == later.roles)
        func guest(of sharer: Identifier, in room: String, _ issued: UInt64) throws -> Access {
            Access(
                user: "share-1", grants: [Grant(.viewer, in: try #require(RoomPattern(room)))],
                token: TokenFacts(id: "share-1", key: "k", issued: 500, expires: 600),
                sharer: Sharer(user: sharer, token: "t", key: "l", issued: issued))
        }
        #expect(revocations.remainder(of: try guest(of: "ann", in: "team-a", 100)) == nil)
        #expect(revocations.remainder(of: try guest(of: "ann", in: "team-a", 101)) != nil)
        #expect(revocations.remainder(of: try guest(of: "ann", in: "team-b", 100)) != nil)
        #expect(revocations.remainder(of: try guest(of: "ben", in: "team-a", 100)) != nil)
        for revocation in [
            Revocation.user("ann", through: 100), .token("t"), .key("l"), .all(through: 100),
        ] {
            #expect(set(revocation).cover(try guest(of: "ann", in: "team-a", 100)))
        }
    }

    @Test("take back certificates, by their user and their time")
    func certificates() {
        let certified = Access(unlimited: "ann", certificateIssued: 100)
        #expect(set(.user("ann", through: 100)).cover(certified))
        #expect(set(.all(through: 100)).cover(certified))
        #expect(!set(.user("ann", through: 99), .all(through: 99)).cover(certified))
        #expect(!set(.user("ben", through: 500), .token("t"), .key("k")).cover(certified))
    }

    @Test("never become fewer")
    func growth() throws {
        var some = set(.user("ann", through: 100), .all(through: 50), .token("a"))
        some.formUnion(set(.user("ann", through: 90), .all(through: 40), .key("b")))
        #expect(some.cover(access(issued: 100)))
        #expect(some.cover(access("ben", issued: 50)) && !some.cover(access("ben", issued: 51)))
        #expect(some.cover(access("ben", id: "a")) && some.cover(access("ben", key: "b")))
        #expect(some.count == 3)
        let room = try #require(RoomName("board"))
        let role = { Revocation.role(of: "ann", in: room, through: $0) }
        some.formUnion(set(role(70)))
        some.formUnion(set(role(60)))
        #expect(some.count == 4 && some.contains(role(70)) && !some.contains(role(71)))
        #expect(some.missing(in: set(role(70), .token("a"))).contains(role(70)) == false)
        #expect(some.missing(in: set(role(69))).contains(role(70)))
    }

    @Test("are read from a text, but for what it repeats and what is none")
    func texts() {
        let (ann, key) = ("2026-01-31T12:34:56Z user ann\n", "2026-01-31T12:34:56Z key k\n")
        let bytes = Array("# x\n\n\(ann)nonsense\n\(ann)\(key)2026-01-31T12:34:56Z all".utf8)
        let text = RevocationText(bytes)
        #expect(text.lines == Array((ann + key).utf8) && text.lineCount == 2)
        #expect(text.wrongLines == 1 && text.firstWrongLine == 4 && text.revocations.count == 2)
        #expect(RevocationText(bytes, beyond: text.revocations).lines == [])
        let earlier = Array("2026-01-31T12:34:55Z user ann\n2026-01-31T12:34:57Z user ann\n".utf8)
        #expect(RevocationText(earlier, beyond: text.revocations).lineCount == 1)
        // What a revoked user's role adds is nothing, so that no copy adds it again and again.
        let role = Array("2026-01-31T12:34:56Z role board/ann\n".utf8)
        #expect(RevocationText(role, beyond: text.revocations).lineCount == 0)
        let later = Array("2026-01-31T12:34:57Z role board/ann\n".utf8)
        #expect(RevocationText(later, beyond: text.revocations).lineCount == 1)
        let many = (0...Revocations.maximumCount).map { "2026-01-31T12:34:56Z token \($0)\n" }
        let full = RevocationText(Array(many.joined().utf8))
        #expect(full.wrongLines == 1 && full.firstWrongLine == Revocations.maximumCount + 1)
    }

    @Test("fit a text, however many and long they are")
    func longest() throws {
        let name = String(repeating: "n", count: Identifier.maximumLength)
        let longest = Revocation.role(
            of: Identifier(stringLiteral: name), in: try #require(RoomName(name)), through: 0)
        let bytes = (longest.line(at: 0).utf8.count + 1) * Revocations.maximumCount
        #expect(bytes <= RevocationText.maximumBytes)
    }

    @Test("are bounded, and still extend those that are there")
    func bound() {
        var many = Revocations()
        for number in 0..<Revocations.maximumCount {
            many.insert(.token(Identifier(stringLiteral: "\(number)")))
        }
        #expect(many.count == Revocations.maximumCount)
        for revocation in [Revocation.token("x"), .user("x", through: 1), .key("x")] {
            let isIn = many.insert(revocation)
            #expect(!isIn)
        }
        for revocation in [Revocation.token("7"), .all(through: 100)] {
            let isIn = many.insert(revocation)
            #expect(isIn)
        }
        #expect(many.count == Revocations.maximumCount && many.cover(access()))
    }

    @Test("of a user's roles are bounded")
    func boundOfRoles() throws {
        var many = Revocations()
        func isIn(_ number: Int, of user: Identifier = "ann") throws -> Bool {
            let room = try #require(RoomName("room \(number)"))
            return many.insert(.role(of: user, in: room, through: UInt64(number)))
        }
        for number in 0..<Revocations.maximumRolesOfUser { #expect(try isIn(number)) }
        #expect(try !isIn(Revocations.maximumRolesOfUser))
        #expect(many.count == Revocations.maximumRolesOfUser)
        #expect(try isIn(7) && isIn(Revocations.maximumRolesOfUser, of: "ben"))
        // Whoever has written one more must be heard.
        let more = try #require(RoomName("another"))
        let isHeard = many.insertWritten(.role(of: "ann", in: more, through: 100))
        #expect(isHeard)
        #expect(many.cover(access("ann", issued: 100)) && !many.cover(access("ann", issued: 101)))
        var all = set(.role(of: "ann", in: more, through: 100))
        all.formUnion(many)
        #expect(all.cover(access("ann", issued: 100)))
    }

    @Test("are read from lines as they are written")
    func lines() throws {
        for revocation in [
            Revocation.token("t 1"), .user("änn of x", through: 1_769_862_896), .key("main"),
            .all(through: 0),
            .role(of: "a/b c", in: try #require(RoomName("my board")), through: 1_769_862_896),
            // A mark joins the space before it into one character.
            .user("\u{301}abc", through: 7), .token("\u{323}"), .key("\u{301} #"),
        ] {
            let line = revocation.line(at: 1_769_862_896)
            #expect(line.withBytes({ Revocation(line: $0) }) == revocation, "\(line)")
        }
        for line in [
            "", "all", "2026-01-31T12:34:56Z", "2026-01-31T12:34:56Z user",
            "2026-01-31T12:34:56Z user ", "2026-01-31T12:34:56Z role ann",
            "2026-01-31T12:34:56Z role /ann", "2026-01-31T12:34:56Z role board/",
            "2026-01-31T12:34:56Z everyone x",
            "2026-01-31T12:34:56Z all x", "yesterday user ann", " 2026-01-31T12:34:56Z user ann",
        ] {
            #expect(line.withBytes({ Revocation(line: $0) }) == nil, "\(line)")
        }
    }

    @Test("mean one spelling of a name")
    func spellings() {
        let revocations = set(.user("caf\u{E9}", through: 200), .token("\u{E9}"), .key("\u{E9}"))
        #expect(revocations.cover(access("caf\u{E9}")))
        #expect(!revocations.cover(access("cafe\u{301}")))
        #expect(revocations.cover(access(id: "\u{E9}")) && revocations.cover(access(key: "\u{E9}")))
        #expect(!revocations.cover(access(id: "e\u{301}", key: "e\u{301}")))
    }
}

extension Revocations {
    fileprivate func cover(_ access: Access) -> Bool { remainder(of: access) == nil }
}
