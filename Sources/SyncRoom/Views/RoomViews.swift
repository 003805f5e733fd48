/// What a room has for views: the members that have some, the layouts that they show, and when they are told more.
struct RoomViews {
    /// The members that have views.
    var members: [Member] = []
    /// The layouts that they show.
    var layouts = LayoutTable()
    /// When they are told what is different.
    var timetable = ViewTimetable()
    /// How fast they are laid out.
    var pace = ViewPace()
    /// When one lacks something that it is then to be told; `nil` while none does.
    var due: UInt64?

    /// Forgets all views and layouts.
    mutating func removeAll() {
        members = []
        layouts = LayoutTable()
        due = nil
    }
}
