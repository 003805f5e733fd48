/// The distribution of values: the median, quantiles, and the worst.
struct Spread {
    private let sorted: [Double]

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        precondition(!values.isEmpty, "there is something to tell")
        sorted = values.sorted()
    }

    var median: Double { quantile(0.5) }
    var worst: Double { sorted[sorted.count - 1] }

    /// The least value that at least a share of all values does not exceed.
    func quantile(_ share: Double) -> Double {
        let rank = (share * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }
}
