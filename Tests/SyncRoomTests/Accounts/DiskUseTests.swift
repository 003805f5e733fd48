import Testing

@testable import SyncRoom

@Suite("Written bytes count for their writer")
struct DiskUseTests {
    /// A disk that already stores this many bytes of somebody else.
    private func disk(_ limit: Int, with bytes: Int) -> (pots: Pots, stored: Charge) {
        let pots = Pots(disk: limit)
        let stored = Charge(in: pots.disk)
        stored.change(to: bytes)
        return (pots, stored)
    }

    @Test("an address may write until its share is used up, whichever connection writes")
    func share() {
        let (pots, stored) = disk(1000, with: 0)
        let address = Holder(in: pots)
        func write(_ bytes: Int) {
            stored.change(to: stored.count + bytes)
            Holder(in: pots, within: address).didWrite(bytes)
        }
        var written = 0
        while Holder(in: pots, within: address).intake == .all, written < 1000 {
            write(10)
            written += 10
        }
        #expect((880...890).contains(written))
        #expect(address.intake == .nothing)
        #expect(Holder(in: pots).intake == .all)
    }

    @Test("a writer is charged for no more bytes than the disk stores")
    func deletion() {
        let (pots, stored) = disk(1000, with: 900)
        let holder = Holder(in: pots)
        holder.didWrite(900)
        #expect(holder.intake == .nothing)
        stored.change(to: 300)
        #expect(holder.intake == .all)
        for _ in 0..<10 { holder.didWrite(300) }
        #expect(holder.intake == .all)
    }

    @Test("a writer of many bytes is not forgotten")
    func forgetting() {
        let (pots, stored) = disk(1 << 20, with: 1 << 10)
        let holder = Holder(in: pots)
        holder.didWrite(16)
        #expect(holder.isIdle(at: 10_000))
        holder.didWrite(1)
        #expect(!holder.isIdle(at: 10_000))
        withExtendedLifetime(stored) {}
    }
}
