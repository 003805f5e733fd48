import SyncClient
import SyncIO
import SyncModel
import SyncSim
import SyncWire
import Testing

@testable import CollSync

/// What waits for a reader, and when that stops the reading.
@Suite struct EventInboxTests {
    private final class Resumes: Sendable {
        let count = Monitor(0)

        func inbox(fullCount: Int) -> EventInbox<Int> {
            EventInbox(fullCount: fullCount) { [self] in count.withLock { $0 += 1 } }
        }
    }

    @Test func aFullInboxPausesOnceAndResumesOnce() async throws {
        let resumes = Resumes()
        let inbox = resumes.inbox(fullCount: 4)
        for _ in 0..<2 {
            #expect((1...6).map { inbox.put($0) } == [false, false, false, true, false, false])
            let before = resumes.count.withLock { $0 }
            for element in 1...5 { #expect(try await inbox.next() == element) }
            #expect(resumes.count.withLock { $0 } == before + 1)
            #expect(try await inbox.next() == 6)
            #expect(resumes.count.withLock { $0 } == before + 1)
        }
    }

    @Test func aReleasedInboxResumesReading() {
        let resumes = Resumes()
        do {
            let inbox = resumes.inbox(fullCount: 2)
            _ = inbox.put(1)
        }
        #expect(resumes.count.withLock { $0 } == 0, "it has not paused")
        do {
            let inbox = resumes.inbox(fullCount: 2)
            for element in 1...3 { _ = inbox.put(element) }
        }
        #expect(resumes.count.withLock { $0 } == 1)
    }

    @Test func whoComesAfterTheEndHearsOnlyTheEnd() async throws {
        let simulation = Simulation(seed: 3)
        defer { simulation.end() }
        let options = SessionOptions(
            address: SocketAddress(host: "127.0.0.1", port: 7420), agent: "test")
        nonisolated(unsafe) var opened: ClientSession?
        try simulation.makePlatform(named: "client").startLoop(named: "client") { loop in
            opened = ClientSession(options: options, loop: loop)
        }
        simulation.run { opened != nil }
        let session = try #require(opened)
        var broadcast = Broadcast<Int>(session: session) { _ in 0 }
        broadcast.finish(9)
        let inbox = Resumes().inbox(fullCount: 4)
        broadcast.add(inbox, pausing: .always) { [1] }
        // Nothing comes in behind the end.
        _ = inbox.put(2)
        #expect(try await inbox.next() == 9)
        #expect(try await inbox.next() == nil)
    }

    @Test func whoWasNotSeenDoesNotLeave() async throws {
        let inbox = PresenceInbox()
        let presence = SeenPresence(
            PresenceUpdate(room: 1, client: Identifier("a"), user: "", state: PresenceState()))
        inbox.put(Identifier("a"), presence)
        inbox.put(Identifier("a"), nil)
        inbox.put(Identifier("b"), presence)
        let seen = try #require(await inbox.next())
        #expect(seen.count == 1)
        inbox.put(Identifier("b"), nil)
        let left = try #require(await inbox.next())
        guard case .left(Identifier("b")) = left.first else {
            Issue.record("\(left)")
            return
        }
    }
}
