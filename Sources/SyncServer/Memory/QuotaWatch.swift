/// What of a room may be nearly full.
struct RoomQuotas {
    var bytes = QuotaWatch()
    var items = QuotaWatch()
}

/// Says when something is nearly as large as it may be: once, and again when it was smaller meanwhile.
struct QuotaWatch {
    private var hasWarned = false

    /// It warns from so many hundredths of the limit on, and again when there were fewer meanwhile.
    private static let warningPercent = 90
    private static let relievedPercent = 80

    /// Whether that is to be said now.
    mutating func isNews(_ used: Int, of limit: Int) -> Bool {
        // Nearly always both are far apart.
        if used < limit / 2, !hasWarned { return false }
        let onePercent = max(1, limit / 100)
        let percent = used / onePercent
        if percent < QuotaWatch.relievedPercent { hasWarned = false }
        guard percent >= QuotaWatch.warningPercent, !hasWarned else { return false }
        hasWarned = true
        return true
    }
}
