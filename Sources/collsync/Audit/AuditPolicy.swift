/// How much of a trail is kept, and for how long. Times are in milliseconds.
struct AuditPolicy {
    /// The most bytes of all files.
    var bytes = 256 << 20
    var age: UInt64 = 90 * 86_400_000
    var addressAge: UInt64 = 30 * 86_400_000

    /// The shorter of the two ages, without that of addresses if there are none.
    private var shorterAge: UInt64 { addressAge == 0 ? age : min(age, addressAge) }

    /// How often old files are looked for.
    var interval: UInt64 { min(3_600_000, shorterAge / 16) }
    /// A file that began so long ago gets no more lines.
    var fileAge: UInt64 { min(86_400_000, shorterAge / 4) }

    /// The most bytes of a series.
    func bytes(of series: AuditFile.Series) -> Int {
        series == .strangers ? bytes / 4 : bytes - bytes / 4
    }

    /// A file of a series that has so many bytes gets no more lines.
    func fileBytes(of series: AuditFile.Series) -> Int { max(1, bytes(of: series) / 16) }

    /// When addresses are blanked. As files are looked at so often, no address gets older than
    /// ``addressAge``, even if its line is written an interval late.
    var blankingAge: UInt64 { addressAge - min(addressAge, 3 * interval) }
}
