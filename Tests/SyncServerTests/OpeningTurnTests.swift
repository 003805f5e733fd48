import ModelSupport
import SeededRandom
import SyncModel
import SyncRoom
import SyncWire
import Testing

@testable import SyncServer

@Suite("Rooms wait for their turn to be opened")
struct OpeningTurnTests {
    private static let holders = (0..<6).map { _ in Holder(in: Pots()) }

    /// The openings that wait and those in flight, according to the rules.
    private struct Model {
        var waiting: [JobOwner: [Int]] = [:]
        var underWay: [JobOwner] = []
        /// By waiting owner: the owners that have begun one since it could have begun one.
        var passed: [JobOwner: Set<JobOwner>] = [:]
        var free: Int { OpeningQueue<Int>.places - underWay.count }

        func count(_ owner: JobOwner) -> Int { underWay.count { $0 == owner } }

        /// Whether an owner has something to begin, and has not used up its share.
        func mayBegin(_ owner: JobOwner) -> Bool {
            waiting[owner]?.isEmpty == false && count(owner) < free
        }

        mutating func begin(_ opening: Int, of owner: JobOwner) {
            #expect(waiting[owner]?.first == opening, "an owner's openings begin in order")
            #expect(mayBegin(owner), "an owner has more than are free")
            for other in waiting.keys where other != owner && mayBegin(other) {
                let isTwice = !passed[other, default: []].insert(owner).inserted
                #expect(!isTwice, "an owner has two turns before another")
            }
            waiting[owner]?.removeFirst()
            passed[owner] = nil
            underWay.append(owner)
            for other in waiting.keys where !mayBegin(other) { passed[other] = nil }
        }

        mutating func end(_ index: Int) -> JobOwner { underWay.remove(at: index) }
    }

    @Test("owners take turns, have no more than are free, and nothing is lost", arguments: 1...30)
    func ownersTakeTurns(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var (model, queue) = (Model(), OpeningQueue<Int>())
        for step in 1...3000 {
            switch numbers.next() % 3 {
            case 0 where step < 2000:
                // The first owner floods.
                let number = numbers.next() % 3 == 0 ? Int(numbers.next() % 6) : 0
                let owner = JobOwner(OpeningTurnTests.holders[number])
                model.waiting[owner, default: []].append(step)
                queue.add(step, of: owner)
            case 1 where !model.underWay.isEmpty:
                queue.end(of: model.end(Int(numbers.next() % UInt64(model.underWay.count))))
            default:
                if let (owner, opening) = queue.next() {
                    model.begin(opening, of: owner)
                } else {
                    let isIdle = model.waiting.keys.contains(where: model.mayBegin)
                    #expect(!isIdle, "a place is free, and an opening waits")
                }
            }
        }
        while let (owner, opening) = queue.next() {
            model.begin(opening, of: owner)
            queue.end(of: model.end(model.underWay.count - 1))
        }
        let isNothingLost = model.waiting.values.allSatisfy(\.isEmpty)
        #expect(isNothingLost)
    }

    @Test("one address opens many rooms, and another's room is opened among the first")
    func others() throws {
        let world = try World { $0.proxies.trusted = .none }
        world.simulation.conditions.jobMicroseconds = 1000...1000
        let greedy = try (0..<4).map { try world.greet("greedy\($0)", from: "10.0.0.1") }
        let modest = try world.greet("modest", from: "10.0.0.2")
        for (number, client) in greedy.enumerated() {
            for room in 0..<20 { _ = client.join("r\(number)-\(room)") }
        }
        world.run(forMilliseconds: 5)
        let request = modest.join("another")
        #expect(world.run { modest.joined[request] != nil })
        let place = try #require(world.storage.openedRooms.firstIndex(of: roomName("another")))
        #expect(place < 40, "it was opened after \(place) others")
        #expect(world.run { world.storage.openedRooms.count == 81 })
        #expect(world.run { greedy.allSatisfy { $0.joined.count + $0.errors.count == 20 } })
    }

    @Test("a room that several ask for is opened when it is the turn of one of them")
    func shared() throws {
        let world = try World()
        world.simulation.conditions.jobMicroseconds = 1000...1000
        let greedy = try world.greet("greedy", from: "10.0.0.1")
        let modest = try world.greet("modest", from: "10.0.0.2")
        for room in 0..<60 { _ = greedy.join("r\(room)") }
        let last = greedy.join("lobby")
        world.run(forMilliseconds: 5)
        let request = modest.join("lobby")
        #expect(world.run { modest.joined[request] != nil && greedy.joined[last] != nil })
        let place = try #require(world.storage.openedRooms.firstIndex(of: roomName("lobby")))
        #expect(place < 40, "it was opened after \(place) others")
        #expect(world.run { world.storage.openedRooms.count == 61 })
    }

    @Test("rooms that are deleted before their turn lose no request", arguments: 1...3)
    func deleted(seed: UInt64) throws {
        let world = try World(seed: seed)
        world.simulation.conditions.jobMicroseconds = 1000...1000
        let (client, other) = (try world.greet("client"), try world.greet("other"))
        for room in 0..<60 { _ = client.join("r\(room)") }
        world.run(forMilliseconds: 5)
        for room in 50..<60 {
            let name = try #require(RoomName("r\(room)"))
            other.send(.deleteRoom(RoomRequest(request: RequestID(100 + room), room: name)))
        }
        // Each join is passed to the room that exists after the deletion.
        #expect(world.run { client.joined.count + client.errors.count == 60 })
        #expect(
            world.run {
                (150..<160).allSatisfy {
                    other.errors[.request($0)] != nil || other.done.contains($0)
                }
            })
    }

    @Test("rooms that are deleted before their turn give their slots back")
    func slotsOfDeleted() throws {
        // One client can't have 32 rooms while ten slots are lost.
        let world = try World { $0.maximumRooms = 64 }
        world.simulation.conditions.jobMicroseconds = 1000...1000
        let (client, admin) = (try world.greet("client"), try world.greet("admin"))
        for room in 0..<32 { _ = client.join("r\(room)") }
        world.run(forMilliseconds: 5)
        for room in 20..<32 {
            let name = try #require(RoomName("r\(room)"))
            admin.send(.deleteRoom(RoomRequest(request: RequestID(100 + room), room: name)))
        }
        #expect(world.run { client.joined.count + client.errors.count == 32 })
        client.close()
        world.run(forMilliseconds: 2000)
        let next = try world.greet("next")
        for room in 0..<32 { _ = next.join("n\(room)") }
        #expect(world.run { next.joined.count + next.errors.count == 32 })
        #expect(next.joined.count == 32)
    }

    @Test("an opening that nobody waits for any more gives its slot back, and is not done")
    func cancelled() throws {
        // One client can't have 60 rooms while another still has some 60.
        let world = try World { $0.maximumRooms = 150 }
        world.simulation.conditions.jobMicroseconds = 1000...1000
        let (leaving, staying) = (try world.greet("leaving"), try world.greet("staying"))
        for room in 0..<60 { _ = leaving.join("l\(room)") }
        world.run(forMilliseconds: 3)
        leaving.close()
        world.run(forMilliseconds: 500)
        #expect(world.storage.openedRooms.count < 60)
        for room in 0..<60 { _ = staying.join("s\(room)") }
        #expect(world.run { staying.joined.count == 60 })
    }
}
