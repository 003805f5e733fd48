extension HTTPCommand {
    private static let leastPosts = 0.6
    private static let readings = 5

    /// Transactions as requests, beside a bare answer to each.
    func addPosts(_ report: inout Report, _ scene: Scene) throws {
        guard Wrk.isThere else {
            return report.add("POST: transactions", "not measured", "", "\(Wrk.package) is missing")
        }
        let duel = try PostDuel(
            scene.programs, folder: scene.folder, connections: posters, items: items)
        report.addPosts(
            try duel.play(rounds: rounds, seconds: max(1, Int(seconds))), connections: posters,
            least: HTTPCommand.leastPosts)
    }

    /// A large room as JSON, and who waits for it.
    func addReadings(_ report: inout Report, _ scene: Scene) throws {
        let benchmark = try ReadBenchmark(
            scene.programs, folder: scene.folder, items: largeItems)
        let quiet = try benchmark.quiet()
        let readings = try (0..<HTTPCommand.readings).map { _ in try benchmark.read() }
        report.addReadings(readings, beside: quiet, items: largeItems)
    }
}
