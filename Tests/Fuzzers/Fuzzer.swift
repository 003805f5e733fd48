import Glibc

/// What libFuzzer plays against the parts that meet bytes from outside. `deploy/fuzz` builds and
/// runs them, each on its own with `collsync-fuzz --fuzzer=NAME` and libFuzzer's arguments.
///
/// A fuzzer is a function of one input. It makes of the bytes what a stranger could make of them
/// and checks what must hold of the answer; it traps, or calls ``finding(_:)``, where that does not
/// hold.
///
/// 1. The same input does the same, whatever ran before it.
/// 2. Every input that ever led to a finding is kept in `Corpus`, with those that reach the most
///    code.
///
/// Leaks are not looked for: the sanitizer does not see the references that Swift keeps shifted.
enum Fuzzer: String, CaseIterable {
    case frames
    case inflating
    case json
    case placements
    case batches
    case screens
    case conversations
    case costs
    case roomcosts
    case clients

    func run(_ input: UnsafeRawBufferPointer) {
        switch self {
        case .frames: FrameFuzzer.run(input)
        case .inflating: InflatingFuzzer.run(input)
        case .json: JSONFuzzer.run(input)
        case .placements: PlacementFuzzer.run(input)
        case .batches: BatchFuzzer.run(input)
        case .screens: ScreenFuzzer.run(input)
        case .conversations: ConversationFuzzer.run(input)
        case .costs: CostFuzzer.run(input)
        case .roomcosts: CostFuzzer.runRoom(input)
        case .clients: ClientFuzzer.run(input)
        }
    }

    /// The one that the command line names. libFuzzer passes over arguments with two dashes.
    static let chosen: Fuzzer = {
        let prefix = "--fuzzer="
        let argument = CommandLine.arguments.first { $0.hasPrefix(prefix) } ?? prefix
        guard let fuzzer = Fuzzer(rawValue: String(argument.dropFirst(prefix.count))) else {
            let names = allCases.map(\.rawValue).joined(separator: "|")
            say("usage: collsync-fuzz \(prefix)\(names) [libFuzzer's arguments]")
            exit(64)
        }
        return fuzzer
    }()
}

/// What libFuzzer calls with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzzer.chosen.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

/// Ends the run with something that must not be; libFuzzer keeps the input.
func finding(_ text: String) -> Never {
    say("finding: \(text)")
    abort()
}

/// Checks something that must hold.
func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { finding(text()) }
}

private func say(_ text: String) {
    _ = (text + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
