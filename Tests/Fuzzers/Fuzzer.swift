import Glibc

/// The fuzzers of the parts that read bytes from outside. `deploy/fuzz` builds and runs them, each
/// with `collsync-fuzz --fuzzer=NAME` and libFuzzer's arguments. Without libFuzzer the program only
/// plays files, as the tests do with the inputs in `Corpus`.
///
/// A fuzzer is a function of one input. It makes from the bytes what a stranger could send, and
/// checks the answer. It traps, or calls ``finding(_:)``, if a rule is broken.
///
/// 1. The same input does the same, whatever ran before it.
/// 2. `Corpus` keeps every input that ever led to a finding, and the inputs that reach the most
///    code.
///
/// Leaks are not checked: the sanitizer does not see the references that Swift stores shifted.
enum Fuzzer: String, CaseIterable {
    case frames
    case requests
    case inflating
    case json
    case placements
    case batches
    case screens
    case conversations
    case costs
    case roomcosts
    case clients
    case secured
    case websockets
    case hostile
    case tokens
    case backups
    case bodies
    case lines
    case upgrades

    func run(_ input: UnsafeRawBufferPointer) {
        switch self {
        case .frames: FrameFuzzer.run(input)
        case .requests: RequestFuzzer.run(input)
        case .inflating: InflatingFuzzer.run(input)
        case .json: JSONFuzzer.run(input)
        case .placements: PlacementFuzzer.run(input)
        case .batches: BatchFuzzer.run(input)
        case .screens: ScreenFuzzer.run(input)
        case .conversations: ConversationFuzzer.run(input)
        case .costs: CostFuzzer.run(input)
        case .roomcosts: CostFuzzer.runRoom(input)
        case .clients: ClientFuzzer.run(input)
        case .secured: SecuredFuzzer.run(input)
        case .websockets: WebSocketFuzzer.run(input)
        case .hostile: HostileFuzzer.run(input)
        case .tokens: TokenFuzzer.run(input)
        case .backups: BackupFuzzer.run(input)
        case .bodies: BodyFuzzer.run(input)
        case .lines: LineFuzzer.run(input)
        case .upgrades: UpgradeFuzzer.run(input)
        }
    }

    /// The fuzzer that the command line names. libFuzzer ignores arguments with two dashes.
    static let chosen: Fuzzer = {
        let prefix = "--fuzzer="
        let argument = CommandLine.arguments.first { $0.hasPrefix(prefix) } ?? prefix
        guard let fuzzer = Fuzzer(rawValue: String(argument.dropFirst(prefix.count))) else {
            let names = allCases.map(\.rawValue).joined(separator: "|")
            say("usage: collsync-fuzz \(prefix)\(names) [FILE… | libFuzzer's arguments]")
            exit(64)
        }
        return fuzzer
    }()
}

/// libFuzzer calls this with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzzer.chosen.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Ends the run with a finding; libFuzzer keeps the input.
func finding(_ text: String) -> Never {
    say("finding: \(text)")
    abort()
}

/// Checks a condition that must be true.
func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { finding(text()) }
}

func say(_ text: String) {
    _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
