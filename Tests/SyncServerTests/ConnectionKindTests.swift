import SyncBytes
import SyncEngine
import SyncIO
import SyncSim
import SyncWire
import Testing

@testable import SyncRoom
@testable import SyncServer

/// Rooms serve connections of any kind, as they know nothing but ``ClientConnection``.
@Suite("A connection of another kind")
struct ConnectionKindTests {
    /// Has no stream, and keeps what it is told.
    private final class Recorder: ClientConnection, @unchecked Sendable {
        // Sendable, as a simulation has one thread.
        let id: MemberID
        private unowned let loop: ServerLoop
        private(set) var joined: Joined?
        private(set) var lost: RoomRefusal?
        private(set) var answers: [Authors.Result] = []
        /// What it makes of what it is told.
        let client: RawClient
        private let encoder = MessageEncoder()

        init(_ name: String, on loop: ServerLoop) {
            self.loop = loop
            id = loop.makeSessionID()
            client = RawClient(name: name)
            loop.connections.add(self)
        }

        func join(_ room: RoomName) {
            let holder = Holder(in: loop.context.pots)
            let admission = Admission(
                member: id, connection: id.connection,
                client: SyncServerTests.id(client.name), secret: [1], holder: holder)
            loop.on(loop.loopIndex(of: room)) { loop in
                loop.join(room, admission, request: 1, at: nil)
            }
        }

        func submit(_ counter: UInt64, _ operations: [Operation]) throws {
            let room = try #require(joined).handle
            let base = client.revision(room) ?? 0
            let submit = try Submit(
                room: room, counter: counter,
                transaction: Transaction(base: base, operations: operations))
            loop.on(loop.loopIndex(of: room)) { [id] loop in
                submit.withView { loop.submit($0, id) }
            }
        }

        func close() throws {
            let room = try #require(joined).handle
            loop.on(loop.loopIndex(of: room)) { [id] loop in loop.leave(room, id) }
            loop.connections.remove(self)
        }

        // MARK: What it is told

        func didJoin(_ joined: Joined, _ membership: MembershipID) {
            self.joined = joined
            say(.joined(joined))
        }

        func didNotJoin(_ room: RoomName, _ error: ErrorMessage) { say(.error(error)) }

        func didLose(_ lost: MembershipID, of handle: RoomHandle, _ refusal: RoomRefusal) {
            self.lost = refusal
        }

        func take(_ answers: ArraySlice<RoomAnswer>, of handle: RoomHandle) {
            self.answers += answers.map(\.result)
        }

        func wasAnswered(_ count: Int, in handle: RoomHandle) {}

        func take(_ parts: [SharedBytes], of channel: Channel) {
            for part in parts { hear(part) }
            guard case .room(let handle) = channel else { return }
            loop.schedule(afterMilliseconds: 1) { [id, loop] in
                loop.on(loop.loopIndex(of: handle)) { $0.ready(handle, id) }
            }
        }

        func say(_ message: ServerMessage) {
            hear(encoder.encode(message).plain)
        }

        private func hear(_ bytes: SharedBytes) {
            withExtendedLifetime(bytes) { client.streamDidReceive(bytes.bytes) }
        }

        func taskIsOver() {}
        func awaits(_ request: RequestID) -> Bool { false }
        func finish(_ request: RequestID, with message: ServerMessage?) {}
    }

    /// - Parameter threads: with two the room may be on another loop than the connection.
    @Test("joins, submits and is sent what others do, and others what it does", arguments: 1...2)
    func recorder(threads: Int) throws {
        let world = try World { $0.threads = threads }
        let (anna, room) = try world.join("anna")
        let name = try #require(RoomName("room"))
        for handle in try #require(world.server).loops.withLock({ $0 }) {
            let box = Box<Recorder?>(nil)
            handle.post { loop in box.value = Recorder("r\(loop.index)", on: loop) }
            #expect(world.run { box.value != nil })
            let recorder = try #require(box.value)
            handle.post { _ in recorder.join(name) }
            #expect(world.run { recorder.client.revision(room) == anna.revision(room) })
            #expect(recorder.client.items(room) == anna.items(room))
            #expect(recorder.joined?.room == name && recorder.joined?.handle == room)
            let own = "of \(recorder.client.name)"
            handle.post { _ in
                do {
                    try recorder.submit(1, [.insert(own)])
                } catch {
                    Issue.record("\(error)")
                }
            }
            #expect(world.run { anna.items(room).contains(own) })
            #expect(recorder.answers.map(\.counter) == [1])
            anna.submit(UInt64(handle.index) + 1, in: room, [.insert("behind \(own)")])
            #expect(world.run { recorder.client.items(room).contains("behind \(own)") })
            #expect(world.run { recorder.client.items(room) == anna.items(room) })
        }
    }

    @Test("is told when its room goes, and one that has gone is told nothing")
    func loss() throws {
        let world = try World()
        let name = try #require(RoomName("room"))
        let (anna, room) = try world.join("anna")
        let server = try #require(world.server)
        let handle = try #require(server.loops.withLock { $0.first })
        let box = Box<[Recorder]>([])
        handle.post { loop in
            box.value = ["r1", "r2"].map { Recorder($0, on: loop) }
            for recorder in box.value { recorder.join(name) }
        }
        #expect(world.run { box.value.count == 2 && box.value.allSatisfy { $0.joined != nil } })
        handle.post { _ in
            do {
                try box.value[1].close()
            } catch {
                Issue.record("\(error)")
            }
        }
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { box.value[0].client.items(room) == ["a"] })
        anna.send(.deleteRoom(RoomRequest(request: 90, room: name)))
        #expect(world.run { box.value[0].lost?.code == .roomDeleted })
        #expect(box.value[1].lost == nil && box.value[1].client.items(room).isEmpty)
    }
}
