package import SyncRoom

extension RoomOpening {
    /// Some opening, for tests that look at something else.
    package static var test: RoomOpening { test(1) }

    /// One that differs from those of other numbers, in its room too.
    package static func test(_ number: UInt64) -> RoomOpening {
        var value = number << 8
        return RoomOpening {
            value += 1
            return value
        }
    }
}
