import ModelSupport
import SyncModel
import SyncServer
import SyncWire
import Testing

@testable import SyncRoom

/// Members that request it are sent the authors of each batch.
@Suite("Authors of batches")
struct BatchAuthorTests {
    /// The authors of revisions that a client was sent, as client and counter.
    private func receivedAuthors(_ client: RawClient) -> [Revision: String] {
        var receivedAuthors: [Revision: String] = [:]
        for message in client.authors {
            for made in message.transactions {
                let author = message.authors[made.author]
                receivedAuthors[made.revision] = "\(author.client.text) \(made.counter)"
            }
        }
        return receivedAuthors
    }

    @Test("members that ask get authors before each batch, and others the same batches")
    func asking() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        let (ben, _) = try world.join("ben")
        let clara = try world.greet("clara")
        let request = clara.join("room", authors: true)
        #expect(world.run { clara.revision(room) != nil })
        #expect(clara.joined[request] != nil)
        for number in 1...5 as ClosedRange<UInt64> {
            anna.submit(number, in: room, [.insert("a\(number)")])
            ben.submit(10 + number, in: room, [.insert("b\(number)")])
            world.run(forMilliseconds: 50)
        }
        #expect(world.run { clara.revision(room) == 10 && anna.revision(room) == 10 })
        #expect(clara.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        let all = receivedAuthors(clara)
        #expect(all.keys.sorted() == Array(1...10))
        for revision in 1...10 as ClosedRange<Revision> {
            let commits = [anna, ben].flatMap { client in
                (client.replicas[room]?.answers ?? []).compactMap { answer in
                    answer.outcome == .ack(Commit(revision: revision))
                        ? "\(client.name) \(answer.counter)" : nil
                }
            }
            #expect([all[revision]] == commits, "revision \(revision)")
        }
        #expect(anna.authors.isEmpty)
    }

    @Test("for a long span the newest revisions have authors, even after a restart")
    func long() throws {
        let world = try World {
            $0.storage.snapshotRevisions = 1000
        }
        let (anna, room) = try world.join("anna")
        let start = try #require(anna.replicas[room]?.snapshot)
        let (ben, _) = try world.join("ben")
        ben.submit(1, in: room, base: 0, [.insert("b")])
        #expect(world.run { ben.revision(room) == 1 })
        for first in stride(from: 1 as UInt64, through: 4001, by: 1000) {
            for counter in first..<(first + 1000) {
                anna.submit(counter, in: room, base: 0, [.delete(id("b"))])
            }
            #expect(world.run { anna.revision(room) == first + 1000 })
        }
        try world.crash()
        let clara = try world.greet("clara")
        let identity = try #require(anna.joined.values.first?.identity)
        let request = clara.join(
            "room", holding: start, origin: identity.origin(of: 0), authors: true)
        #expect(world.run { clara.joined[request] != nil })
        let handle = try #require(clara.joined[request]).handle
        #expect(world.run { clara.revision(handle) == 5001 })
        let all = receivedAuthors(clara)
        // The room knows at most two windows of an author's commits, and the newest revisions of
        // the room.
        let known = all.keys.sorted()
        #expect(known.last == 5001)
        #expect(known.count >= Authors.window && known.count <= RecentAuthors.maximumCount)
        #expect(known == Array((known.first ?? 0)...5001))
        #expect(known.allSatisfy { all[$0] == "anna \($0 - 1)" })
    }
}
