import Testing

@testable import CollSync

@Suite struct SubmissionWindowTests {
    /// A second transaction with the same number would share the answer of the first.
    @Test func aNumberInFlightIsNotTakenAgain() async {
        let window = SubmissionWindow(limit: 3)
        func enter(_ number: UInt64?) async -> UInt64? {
            await window.enter(number: number) { $0 }?.result
        }
        #expect(await enter(7) == 7)
        #expect(await enter(7) == nil)
        #expect(await enter(nil) == 8)
        #expect(await enter(8) == nil)
        #expect(await enter(nil) == 9)
        // The window is full. A number in flight is refused nevertheless, and does not wait for a
        // place.
        #expect(await enter(9) == nil)
        window.leave(7)
        #expect(await enter(7) == 7)
    }

    @Test func numbersGoOnBehindTheHighest() async {
        let window = SubmissionWindow(limit: 3)
        window.begin(after: 4)
        for (wanted, expected) in [(nil, 5), (9, 9), (2, 2), (nil, 10)] as [(UInt64?, UInt64)] {
            let entered = await window.enter(number: wanted) { $0 }
            #expect(entered?.result == expected)
            window.leave(expected)
        }
    }
}
