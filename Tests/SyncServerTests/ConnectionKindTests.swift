import ModelSupport
import SyncBytes
import SyncIO
import SyncModel
import SyncSim
import SyncWire
import Testing

@testable import SyncRoom
@testable import SyncServer

/// Rooms serve connections of any kind: all they know is ``ClientConnection``.
@Suite("A connection of another kind")
struct ConnectionKindTests {
    /// - Parameter threads: with two the room may be on another loop than the connection.
    @Test("joins, submits and follows others, and others follow it", arguments: 1...2)
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

    @Test("is notified when its room goes, and is sent nothing after it has gone")
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
