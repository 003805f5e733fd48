import Testing

@testable import collsync_bench

/// Attacks at tiny sizes: each does what it is for and ends, whatever the figures.
@Suite struct AttackTests {
    private static let attacks = AttacksCommand.attacks(scale: 0.001).map(\.name)
    private static let needingUsers = AttacksCommand.attacks(scale: 0.001)
        .filter(\.needsUsers).map(\.name)

    private func run(_ name: String, isSecured: Bool = false) throws -> AttackOutcome {
        let attack = try #require(
            AttacksCommand.attacks(scale: 0.001).first { $0.name == name })
        let scratch = try ScratchFolder(in: nil)
        let programs = try Programs.besideThis(cores: .shared)
        let door =
            isSecured ? try Door(users: 3, programs, folder: scratch.path) : Door()
        return try attack.run(programs, door, folder: scratch.path)
    }

    @Test(arguments: attacks.filter { !Herds.names.contains($0) && !needingUsers.contains($0) })
    func theInnocentIsAnsweredMeanwhile(name: String) throws {
        let outcome = try run(name)
        #expect(outcome.waits.failure == nil)
        #expect(outcome.waits.answers > 0 && outcome.waits.longest > 0)
        // At this size nobody is blocked; the test does not judge times.
        #expect(outcome.failures.allSatisfy { $0.contains(" took ") }, "\(outcome.failures)")
    }

    @Test(
        arguments: ["rooms", "silent", "resumes", "filling", "visits", "pipelines", "lines"]
            + needingUsers)
    func attackersWithTokensComeByTLS(name: String) throws {
        let outcome = try run(name, isSecured: true)
        #expect(outcome.waits.failure == nil && outcome.waits.answers > 0)
        #expect(outcome.failures.allSatisfy { $0.contains(" took ") }, "\(outcome.failures)")
        // Its tokens are refused, and the remarks say so.
        if name == "keyids" { return }
        #expect(!outcome.remarks.contains { $0.contains("token") }, "\(outcome.remarks)")
    }

    @Test(arguments: [("herd", "10 of 10 served"), ("reopening", "10 of 10 served")])
    func aHerdIsServed(name: String, remark: String) throws {
        #expect(try run(name).remarks.contains { $0.hasPrefix(remark) })
    }

    @Test func whatIsOverTheReachIsSaid() {
        var waits = Innocent.Waits()
        waits.longestPing.seconds = 0.05
        waits.limitBytes = 100 << 20
        var outcome = AttackOutcome(
            waits: waits, growthBytes: 10 << 20, peakBytes: 150 << 20, accountedBytes: 80 << 20,
            seconds: 1, remarks: [], failures: [], mostGrowthBytes: 20 << 20)
        #expect(AttacksCommand.excess(of: .success(outcome)) == nil)
        outcome.waits.longestEdit.seconds = 0.2
        #expect(outcome.excesses == ["the innocent waits 200 ms"])
        outcome.waits.failure = "closed"
        outcome.peakBytes = 400 << 20
        outcome.growthBytes = 30 << 20
        outcome.failures = ["others can't join"]
        #expect(outcome.excesses.count == 5)
        outcome.accountedBytes = 101 << 20
        #expect(outcome.excesses.contains("the accounts are above --max-memory"))
        #expect(AttacksCommand.excess(of: .failure(BenchError("no end"))) == "no end")
    }

    @Test func aRoomOfLargeSectionsIsReadAfterwards() throws {
        #expect(try run("sections").remarks.contains("the room can be read"))
    }

    @Test func everyAttackHasANameOfItsOwn() {
        #expect(Set(Self.attacks).count == Self.attacks.count)
        #expect(Herds.names.isSubset(of: Self.attacks))
    }
}
