package import SyncRoom

extension RoomOpening {
    /// Some opening, for tests of other things.
    package static var test: RoomOpening { test(1) }

    /// An opening that differs from those with other numbers, also in its room.
    package static func test(_ number: UInt64) -> RoomOpening {
        var value = number << 8
        return RoomOpening {
            value += 1
            return value
        }
    }
}
