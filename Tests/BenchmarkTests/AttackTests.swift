import Testing

@testable import collsync_bench

/// Attacks at tiny sizes: each does what it says and comes to an end, whatever the figures.
@Suite struct AttackTests {
    private static let attacks = AttacksCommand.attacks(scale: 0.001).map(\.name)

    private func run(_ name: String) throws -> AttackOutcome {
        let attack = try #require(
            AttacksCommand.attacks(scale: 0.001).first { $0.name == name })
        let scratch = try ScratchFolder(in: nil)
        return try attack.run(try Programs.besideThis(cores: .shared), folder: scratch.path)
    }

    @Test(arguments: attacks.filter { !Herds.names.contains($0) })
    func theInnocentIsAnsweredMeanwhile(name: String) throws {
        let outcome = try run(name)
        #expect(outcome.waits.failure == nil)
        #expect(outcome.waits.answers > 0 && outcome.waits.longest > 0)
    }

    @Test(arguments: [("herd", "10 of 10 served"), ("reopening", "10 of 10 served")])
    func aHerdIsServed(name: String, remark: String) throws {
        #expect(try run(name).remarks.contains { $0.hasPrefix(remark) })
    }

    @Test func aRoomOfLargeSectionsIsReadAfterwards() throws {
        #expect(try run("sections").remarks.contains("the room can be read"))
    }

    @Test func everyAttackHasANameOfItsOwn() {
        #expect(Set(Self.attacks).count == Self.attacks.count)
        #expect(Herds.names.isSubset(of: Self.attacks))
    }
}
