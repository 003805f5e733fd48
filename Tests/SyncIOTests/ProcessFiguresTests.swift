import SyncIO
import Testing

@testable import SyncLoop

@Suite("Figures of the process")
struct ProcessFiguresTests {
    @Test("a process knows what it uses")
    func own() throws {
        let figures = LoopPlatform.processFigures
        let (resident, virtual) = (try #require(figures.residentBytes), figures.virtualBytes ?? 0)
        #expect(resident > 1 << 20 && virtual >= resident)
        #expect(try #require(figures.processorMicroseconds) > 0)
        #expect(try #require(figures.maximumOpenFiles) >= 3)
        // Some day after 2020, and no later than now is.
        #expect(try #require(figures.startMilliseconds) > 1_577_000_000_000)
        if let open = figures.openFiles { #expect(open >= 3) }
    }

    @Test("a program's name may look like fields")
    func name() throws {
        let rest = (3...52).map { "\($0)" }.joined(separator: " ")
        let status = try #require(ProcessStatus("1 (a) 7 (b) \(rest)\n"))
        #expect(status.startTicks == 22 && status.virtualBytes == 23 && status.residentPages == 24)
        for text in ["", "1 (a", "1 (a) S 1", "1 (a) " + rest.replacing("22", with: "x")] {
            #expect(ProcessStatus(text) == nil, "\(text)")
        }
    }
}
