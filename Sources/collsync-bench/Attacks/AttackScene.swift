import Foundation
import SyncModel
import SyncWire

/// A server, an innocent member in a room of its own, and the attackers.
final class AttackScene {
    let programs: Programs
    /// The folder of the server's data.
    let data: String
    let server: MeasuredProcess
    let gang: Gang
    let innocent: Innocent
    let entrance: Entrance
    /// Where the server speaks HTTP.
    let webEntrance: Entrance
    /// Lines for the report about how the attack went.
    var remarks: [String] = []
    /// What well-behaved clients did not get, or got too late.
    var failures: [String] = []

    init(_ programs: Programs, _ door: Door, data: String, options: [String]) throws {
        (self.programs, self.data) = (programs, data)
        let webPort = try MeasuredProcess.freePort()
        server = try programs.startServer(
            data: data, ["--http", "127.0.0.1:\(webPort)"] + options + door.serverOptions)
        entrance = try Entrance(door, port: server.port)
        webEntrance = try Entrance(door, port: webPort)
        gang = Gang(entrance, webEntrance)
        innocent = try Innocent(
            try AttackScene.room("innocent"), try Entrance(door, port: server.port))
    }

    static func room(_ name: String) throws -> RoomName {
        guard let name = RoomName(name) else { throw BenchError("a room has a name") }
        return name
    }

    /// Opens a well-behaved conversation, which waits as long for answers as the innocent member.
    func talk(_ features: Features = []) throws -> Talk {
        try entrance.talk(features, patienceSeconds: Innocent.patienceSeconds)
    }

    /// Opens a well-behaved conversation over HTTP.
    func talkWeb() throws -> WebTalk {
        WebTalk(
            try webEntrance.socket(patienceSeconds: Innocent.patienceSeconds),
            token: webEntrance.door.honestToken)
    }

    /// What a well-behaved client of HTTP has to get soon during an attack.
    func expectHTTP(within most: Double = AttackOutcome.longestWait * 2) throws {
        try expect("another's request", within: most) {
            try talkWeb().ask("GET", "/v1/rooms/innocent/stats")
        }
        let edit = #"{"ops":[{"updateSection":{"id":"main","set":{"title":"x"}}}]}"#
        try expect("another's transaction", within: most) {
            try talkWeb().ask("POST", "/v1/rooms/innocent/transactions", body: edit)
        }
    }

    /// Runs a step of a well-behaved client. Records a failure if it throws or takes too long.
    func expect(_ what: String, within most: Double, _ body: () throws -> Void) throws {
        let watch = Stopwatch()
        do {
            try body()
        } catch {
            return failures.append("\(what): \(error)")
        }
        let text = "\(what) took \(Report.milliseconds(watch.seconds))"
        if watch.seconds > most { failures.append(text) } else { remarks.append(text) }
    }

    /// Waits until each attacker has `count` answers, acks and rejects, or is closed.
    func waitForAnswers(_ count: Int, of strangers: [Stranger]) throws {
        try gang.wait(for: "\(count) answers") {
            strangers.allSatisfy { $0.isClosed || $0.answers.acks + $0.answers.rejects >= count }
        }
    }
}

/// An attack on a server.
struct Attack {
    let name: String
    /// What it does, in a few words.
    let what: String
    var options: [String] = []
    /// Whether it needs users, so that it is made with `--secured` only.
    var needsUsers = false
    /// The server's greatest growth in memory, if it has a limit apart from the accounts.
    var mostGrowthBytes = Int.max
    /// Stores data in a folder, with an earlier server.
    var store: ((Programs, _ data: String) throws -> Void)?
    /// Prepares the attack; the result carries it out.
    let prepare: (AttackScene) throws -> () throws -> Void
}

/// The result of an attack.
struct AttackOutcome {
    var waits: Innocent.Waits
    var growthBytes: Int
    /// The greatest memory of the server, and the greatest sum of its accounts that was observed.
    var peakBytes: Int
    var accountedBytes: Int
    var seconds: Double
    var remarks: [String]
    /// What well-behaved clients did not get, or got too late.
    var failures: [String]
    var mostGrowthBytes: Int

    static let longestWait = 0.1

    /// Whether the server's memory was hardly more than the sum of its accounts.
    var isWithinAccounts: Bool { peakBytes <= accountedBytes + accountedBytes / 4 + 64 << 20 }

    /// Which limits were exceeded; empty if none.
    var excesses: [String] {
        var excesses = failures
        if let failure = waits.failure { excesses.append("an innocent is lost: \(failure)") }
        if waits.longest > AttackOutcome.longestWait {
            excesses.append("the innocent waits \(Report.milliseconds(waits.longest))")
        }
        if !isWithinAccounts { excesses.append("the memory is above the accounts") }
        if waits.limitBytes > 0, accountedBytes > waits.limitBytes {
            excesses.append("the accounts are above --max-memory")
        }
        if growthBytes > mostGrowthBytes {
            excesses.append("the memory grows by \(growthBytes >> 20) MiB")
        }
        return excesses
    }
}

extension Attack {
    /// Runs the attack on a server of its own.
    func run(_ programs: Programs, _ door: Door, folder: String) throws -> AttackOutcome {
        let data = "\(folder)/\(name)"
        try store?(programs, data)
        let scene = try AttackScene(programs, door, data: data, options: options)
        return try Attack.onThreadOfLowPriority { try run(in: scene) }
    }

    /// Runs `body` on a thread of low priority, which gets a core when no thread of normal priority
    /// needs it.
    private static func onThreadOfLowPriority<Outcome>(
        _ body: @escaping () throws -> Outcome
    ) throws -> Outcome {
        nonisolated(unsafe) var result: Result<Outcome, any Error>?
        nonisolated(unsafe) var work: (() throws -> Outcome)? = body
        let hasEnded = DispatchSemaphore(value: 0)
        let thread = Thread {
            // On Linux each thread has a priority of its own.
            let ofThread = __priority_which_t(PRIO_PROCESS.rawValue)
            setpriority(ofThread, 0, getpriority(ofThread, 0) + stepsDown)
            result = work.map { work in Result { try work() } }
            // Release what it retains, such as a server, on this thread.
            work = nil
            hasEnded.signal()
        }
        thread.stackSize = stackBytes
        thread.start()
        hasEnded.wait()
        guard let result else { throw BenchError("an attack has no end") }
        return try result.get()
    }

    /// Each step reduces a thread's share of a contended core by a fifth.
    private static let stepsDown: Int32 = 10
    private static let stackBytes = 8 << 20

    private func run(in scene: AttackScene) throws -> AttackOutcome {
        let strike = try prepare(scene)
        // Wait for the rest of the preparation.
        try scene.gang.run(seconds: Attack.restSeconds)
        scene.server.forgetPeak()
        let before = scene.server.residentBytes
        scene.innocent.forget()
        let watch = Stopwatch()
        try strike()
        let seconds = watch.seconds
        // Delayed effects count too, and so do requests that are still unanswered.
        let answered = scene.innocent.answers
        try scene.gang.run(seconds: Attack.restSeconds)
        try scene.gang.run(seconds: 300) {
            scene.innocent.answers > answered || scene.innocent.hasFailed
        }
        let peak = scene.server.peakResidentBytes
        let waits = scene.innocent.end()
        let reasons = scene.gang.strangers.last { !$0.answers.reason.isEmpty }
            .map { ["told: \($0.answers.reason.prefix(60))"] }
        let closed = scene.gang.closed
        return AttackOutcome(
            waits: waits, growthBytes: peak - before, peakBytes: peak,
            accountedBytes: waits.accountedBytes, seconds: seconds,
            remarks: scene.remarks + (reasons ?? [])
                + (closed > 0 ? ["\(closed) attackers closed"] : []),
            failures: scene.failures, mostGrowthBytes: mostGrowthBytes)
    }

    private static let restSeconds = 1.0
}
