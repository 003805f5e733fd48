import SyncModel
import Testing

@testable import SyncStore

@Suite struct PublishedRoomsTests {
    private func room(_ number: Int) -> SQLiteStorage.Room {
        SQLiteStorage.Room(
            id: Int64(number), state: LogState(name: "room \(number)", createdMilliseconds: 1))
    }

    @Test func knowsWhatWasPublishedLast() {
        let published = PublishedRooms()
        var expected: [RoomName: SQLiteStorage.Room] = [:]
        for number in 1...1000 {
            let (room, again) = (room(number), room(number / 2 + 1))
            expected[room.state.name] = room
            published.update([room.state.name: room])
            if number % 3 == 0 {
                expected[again.state.name] = nil
                published.remove(again.state.name)
            }
        }
        #expect(published.all.count == expected.count)
        for room in published.all { #expect(expected[room.state.name] == room) }
        for number in 1...1000 {
            let name: RoomName = "room \(number)"
            #expect(published[name] == expected[name])
        }
    }

    /// A read fails if the room's oldest records are removed behind the lookup.
    @Test func readsARoomAgainThatHasChanged() throws {
        let published = PublishedRooms()
        let failure = StoreError.compacted(room: "room 1", firstSequence: 2)
        func read(_ changes: [SQLiteStorage.Room?]) throws -> [Int64] {
            published.update(["room 1": room(1)])
            var ids: [Int64] = []
            let last = try published.read("room 1") { found throws(StoreError) in
                ids.append(found.id)
                guard ids.count <= changes.count else { return found.id }
                if let change = changes[ids.count - 1] {
                    published.update(["room 1": change])
                } else {
                    published.remove("room 1")
                }
                throw failure
            }
            #expect(last == (changes.last == .some(nil) ? nil : ids.last))
            return ids
        }
        #expect(try read([]) == [1])
        #expect(try read([room(2), room(3)]) == [1, 2, 3])
        #expect(try read([room(2), nil]) == [1, 2])
        #expect(throws: failure, "it has not changed") { try read([room(1)]) }
        let changes = (0..<PublishedRooms.attempts).map { room($0 + 2) }
        #expect(throws: failure, "it changes without an end") { try read(changes) }
    }

    /// Listing all rooms delays a commit by the time for one piece of them.
    @Test func noPieceHasManyRooms() {
        let published = PublishedRooms()
        let count = 64 * PublishedRooms.pieceCount
        for number in 1...count { published.update(["room \(number)": room(number)]) }
        #expect(published.all.count == count)
        #expect(published.largestPiece < 64 * 2)
    }
}
