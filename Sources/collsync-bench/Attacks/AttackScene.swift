import Foundation
import SyncModel
import SyncWire

/// A server with an innocent member in a room of its own, and the attackers.
final class AttackScene {
    let programs: Programs
    let server: MeasuredProcess
    let gang: Gang
    let innocent: Innocent
    /// What the attack has to say about how it went.
    var remarks: [String] = []
    /// What those who behave did not get, or too late.
    var failures: [String] = []

    var port: UInt16 { server.port }

    init(_ programs: Programs, data: String, options: [String]) throws {
        self.programs = programs
        server = try programs.startServer(data: data, options)
        gang = Gang(port: server.port)
        innocent = try Innocent(try AttackScene.room("innocent"), port: server.port)
    }

    static func room(_ name: String) throws -> RoomName {
        guard let name = RoomName(name) else { throw BenchError("a room has a name") }
        return name
    }

    /// A conversation of somebody who behaves, with the patience of the innocent.
    func talk(_ features: Features = []) throws -> Talk {
        let talk = Talk(try Socket(port: port, patienceSeconds: 300))
        try talk.hello(features)
        return talk
    }

    /// Does what somebody does who behaves, and notes how long that takes, or that it can't be
    /// done.
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

    /// Has every attacker's transactions be answered in some way.
    func waitForAnswers(_ count: Int, of strangers: [Stranger]) throws {
        try gang.wait(for: "\(count) answers") {
            strangers.allSatisfy { $0.isClosed || $0.answers.acks + $0.answers.rejects >= count }
        }
    }
}

/// Something that a stranger does to a server.
struct Attack {
    let name: String
    /// What is done, in some words.
    let what: String
    var options: [String] = []
    /// By how much the server's memory may grow, if that is bounded apart from its accounts.
    var mostGrowthBytes = Int.max
    /// Has a server before this one store something in a folder.
    var store: ((Programs, _ data: String) throws -> Void)?
    /// Prepares the attack, and gives what is then done in earnest.
    let prepare: (AttackScene) throws -> () throws -> Void
}

/// What came of an attack.
struct AttackOutcome {
    var waits: Innocent.Waits
    var growthBytes: Int
    /// The most memory that the server had, and the most that its accounts were seen to come to.
    var peakBytes: Int
    var heldBytes: Int
    var seconds: Double
    var remarks: [String]
    /// What those who behave did not get, or too late.
    var failures: [String]
    var mostGrowthBytes: Int

    static let longestWait = 0.1

    /// Whether what the server had is what its accounts came to, or little more.
    var isWithinAccounts: Bool { peakBytes <= heldBytes + heldBytes / 4 + 64 << 20 }

    /// What is over the reach; nothing, if all is within.
    var excesses: [String] {
        var excesses = failures
        if let failure = waits.failure { excesses.append("an innocent is lost: \(failure)") }
        if waits.longest > AttackOutcome.longestWait {
            excesses.append("the innocent waits \(Report.milliseconds(waits.longest))")
        }
        if !isWithinAccounts { excesses.append("the memory is above the accounts") }
        if waits.limitBytes > 0, heldBytes > waits.limitBytes {
            excesses.append("the accounts are above --max-memory")
        }
        if growthBytes > mostGrowthBytes {
            excesses.append("the memory grows by \(growthBytes >> 20) MiB")
        }
        return excesses
    }
}

extension Attack {
    /// Attacks a server of its own.
    func run(_ programs: Programs, folder: String) throws -> AttackOutcome {
        let data = "\(folder)/\(name)"
        try store?(programs, data)
        let scene = try AttackScene(programs, data: data, options: options)
        return try Attack.onThreadOfLowPriority { try run(in: scene) }
    }

    /// Does something on another thread, which gets a core when none with the usual priority wants
    /// it.
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
            // What it holds, a server among it, is not the thread's any more.
            work = nil
            hasEnded.signal()
        }
        thread.stackSize = stackBytes
        thread.start()
        hasEnded.wait()
        guard let result else { throw BenchError("an attack has no end") }
        return try result.get()
    }

    /// Each step takes a fifth of what a thread gets beside others.
    private static let stepsDown: Int32 = 10
    private static let stackBytes = 8 << 20

    private func run(in scene: AttackScene) throws -> AttackOutcome {
        let strike = try prepare(scene)
        // What the preparation has left to do comes to an end.
        try scene.gang.run(seconds: Attack.restSeconds)
        scene.server.forgetPeak()
        let before = scene.server.residentBytes
        scene.innocent.forget()
        let watch = Stopwatch()
        try strike()
        let seconds = watch.seconds
        // Also what it brings about a moment later counts, and what was asked before is answered.
        let answered = scene.innocent.answers
        try scene.gang.run(seconds: Attack.restSeconds)
        try scene.gang.run(seconds: 300) {
            scene.innocent.answers > answered || scene.innocent.hasFailed
        }
        let peak = scene.server.peakResidentBytes
        let waits = scene.innocent.end()
        let reasons = scene.gang.strangers.last { !$0.answers.reason.isEmpty }
            .map { ["told: \($0.answers.reason.prefix(60))"] }
        let closed = scene.gang.strangers.count { $0.isClosed }
        return AttackOutcome(
            waits: waits, growthBytes: peak - before, peakBytes: peak,
            heldBytes: waits.heldBytes, seconds: seconds,
            remarks: scene.remarks + (reasons ?? [])
                + (closed > 0 ? ["\(closed) attackers closed"] : []),
            failures: scene.failures, mostGrowthBytes: mostGrowthBytes)
    }

    private static let restSeconds = 1.0
}
