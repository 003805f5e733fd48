import SeededRandom
import SyncServer
import Testing

/// Lines that wait for a log that nobody reads.
@Suite struct LogBacklogTests {
    /// Compared with an unbounded list: the backlog keeps a prefix and counts the rest.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func keepsAPrefixAndCountsTheRest(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var backlog = LogBacklog()
        for _ in 0..<3 {
            var all: [String] = []
            for _ in 0..<Int(generator.next() % 3000) {
                let line = String(repeating: "x", count: Int(generator.next() % 400))
                all.append(line)
                backlog.add(line)
                #expect(backlog.byteCount <= LogBacklog.maximumBytes)
            }
            let (bytes, dropped) = backlog.takeAll()
            let kept = all.dropLast(dropped)
            #expect(bytes == Array(kept.map { $0 + "\n" }.joined().utf8))
            if dropped > 0 {
                let next = all[kept.count].utf8.count + 1
                #expect(bytes.count + next > LogBacklog.maximumBytes)
            }
            #expect(backlog.isEmpty)
        }
    }

    @Test func textsAreBounded() {
        let limit = LogBacklog.maximumTextBytes
        #expect(LogBacklog.bounded("short") == "short")
        #expect(LogBacklog.bounded(String(repeating: "a", count: limit)).utf8.count == limit)
        for text in ["a", "é", "€", "🙂", "🇩🇪"] {
            let long = "ab" + String(repeating: text, count: limit)
            let cut = LogBacklog.bounded(long)
            #expect(cut.utf8.count <= limit + 3)
            #expect(cut.utf8.count > limit - 4)
            #expect(cut.hasSuffix("…") && !cut.unicodeScalars.contains("\u{FFFD}"))
        }
    }
}
