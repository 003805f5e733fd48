import Testing

@testable import SyncServer

@Suite("What is made for those who read")
struct ReadPaceTests {
    private final class Answer {
        let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }

    @Test("what was done holds its answer no longer, also while something always waits")
    func release() {
        var pace = ReadPace(costPerTurn: 10)
        var made: [Int] = []
        var living: [() -> Answer?] = []
        for number in 0..<300 {
            let answer = Answer(number)
            living.append { [weak answer] in answer }
            pace.add(5) { made.append(answer.number) }
            if number < 10 { continue }
            pace.take()?.work()
        }
        #expect(made == Array(0..<290))
        #expect(!pace.isEmpty)
        #expect(living.count { $0() != nil } == 10)
    }
}
