import Testing

@testable import SyncStore

@Suite struct PublishedRoomsTests {
    private func room(_ number: Int) -> SQLiteStorage.Room {
        SQLiteStorage.Room(
            id: Int64(number), state: LogState(name: "room \(number)", createdMilliseconds: 1))
    }

    @Test func knowsWhatWasPublishedLast() {
        let published = PublishedRooms()
        var expected: [String: SQLiteStorage.Room] = [:]
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
            let name = "room \(number)"
            #expect(published[name] == expected[name])
        }
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
