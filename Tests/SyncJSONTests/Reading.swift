import SyncJSON
import SyncModel

// The module's functions, called with texts.

func readCommand(_ line: String) throws(JSONError) -> JoinCommand {
    try readCommand(Array(line.utf8))
}

func readCommand(_ line: [UInt8]) throws(JSONError) -> JoinCommand {
    try line.withUnsafeBufferPointer { bytes throws(JSONError) in
        try JoinCommand(line: UnsafeRawBufferPointer(bytes))
    }
}

func readServerLine(_ line: String) throws(JSONError) -> ServerLine {
    try readServerLine(Array(line.utf8))
}

func readServerLine(_ line: [UInt8]) throws(JSONError) -> ServerLine {
    try line.withUnsafeBufferPointer { bytes throws(JSONError) in
        try ServerLine(line: UnsafeRawBufferPointer(bytes))
    }
}

/// The line as text.
func text(of line: ServerLine) -> String {
    var writer = JSONWriter()
    writer.write(line)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The command in its plainest form.
func text(of command: JoinCommand) -> String {
    switch command {
    case .transaction(let operations, let base, let tx, let origin, let isAllOrNothing):
        CommandText.line(
            operations, base: base, tx: tx, origin: origin, isAllOrNothing: isAllOrNothing)
    case .view(let view): CommandText.line(view)
    case .drag(let drag): CommandText.line(drag)
    case .presence(let presence): CommandText.line(presence)
    case .clipboard(let command): CommandText.line(command)
    case .unsupported(let name): "{\"\(name)\":{}}"
    }
}

/// The error of a text; `nil` if it is valid.
func problem(_ read: () throws(JSONError) -> some Any) -> JSONError? {
    do throws(JSONError) {
        _ = try read()
        return nil
    } catch {
        return error
    }
}

func problem(in command: String) -> JSONError? {
    problem { () throws(JSONError) in try readCommand(command) }
}

func problem(inServerLine line: String) -> JSONError? {
    problem { () throws(JSONError) in try readServerLine(line) }
}

func readLayout(_ line: String) throws(JSONError) -> LayoutInput {
    try readLayout(Array(line.utf8))
}

func readLayout(_ line: [UInt8]) throws(JSONError) -> LayoutInput {
    try line.withUnsafeBufferPointer { bytes throws(JSONError) in
        try LayoutInput(line: UnsafeRawBufferPointer(bytes))
    }
}

func problem(inLayout line: String) -> JSONError? {
    problem { () throws(JSONError) in try readLayout(line) }
}
