import ArgumentParser
import SyncJSON
import SyncLayout
import SyncTerminal

/// `layout`: lays out collections, one for each line.
struct Layout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lay collections out, without any server.",
        discussion: """
            Each line of standard input is a JSON object that says what to lay out.
            The answer is a line with the size of the content and its elements, with
            their frames:

              {"layout":{"kind":"flow"},"bounds":{"width":320},"sections":[{"count":1}]}

              {"contentSize":{"width":320,"height":50},"elements":[
              {"category":"cell","section":0,"item":0,
              "frame":{"x":0,"y":0,"width":50,"height":50},"zIndex":0,"scale":1}]}

            but in one line. The keys of the object:

              layout        its kind, which is flow, columnFlow, line, circle, mosaic or
                            waterfall, and its options
              bounds        the viewport: its width and height and, as x and y, how far it
                            is scrolled
              sections      a list; each has a count of items or a list of them, items,
                            each as {"width":80,"height":40}, and options of its own
              contentInset, safeArea, layoutMargins, pixelScale
                            the surroundings of the viewport
              rect          asks for the elements in this rectangle only
              point, previous
                            ask for the target: which item makes room for one that is
                            dragged to this point; the previous one made room before
              proposedOffset
                            asks for the targetOffset, where scrolling ends if it would
                            otherwise end here

            The answer to a line that can't be laid out is an error with the line's
            number. Later lines are still answered; the exit code is then 65. Options
            that a layout does not use are named on standard error.
            Protocol/layouts.md describes all options.
            """)

    func run() async throws {
        try await perform {
            let lines = try LineReader()
            defer { lines.finish() }
            let isAllLaidOut = try await LayoutLines(output: Output()).answer(lines)
            if !isAllLaidOut { throw ExitCode(Failure.badData) }
        }
    }
}

/// Answers input lines, each on its own.
struct LayoutLines {
    let output: Output

    /// Answers all lines.
    ///
    /// - Returns: whether all could be laid out.
    func answer(_ lines: LineReader) async throws -> Bool {
        var number = 0
        var isAllLaidOut = true
        while let lines = await lines.next() {
            for line in lines {
                number += 1
                let failure = try answer(line, number)
                guard let failure else { continue }
                isAllLaidOut = false
                try output.write([
                    .error(
                        .init(
                            code: failure.code, message: "line \(number): \(failure.message)",
                            line: number))
                ])
            }
        }
        return isAllLaidOut
    }

    /// Answers a line, unless it is blank.
    ///
    /// - Returns: why it can't be laid out; `nil` on success.
    private func answer(
        _ line: LineReader.Line, _ number: Int
    ) throws -> (code: String, message: String)? {
        guard case .text(let bytes) = line else { return ("malformed", "longer than 16 MiB") }
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if isBlank { return nil }
        do {
            let input = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                try LayoutInput(line: UnsafeRawBufferPointer(bytes))
            }
            if let warning = input.warning {
                Terminal.say("warning: line \(number): \(warning)")
            }
            try write(LayoutAnswer(to: input))
            return nil
        } catch let error as JSONError {
            return ("malformed", "\(error)")
        } catch let error as LayoutError {
            return (error.code, error.explanation)
        }
    }

    private func write(_ answer: LayoutAnswer) throws {
        try output.withWriter { writer in
            writer.begin(answer)
            for element in answer.elements {
                writer.write(element, of: answer)
                try output.flush(&writer)
            }
            writer.end(answer)
            writer.endLine()
        }
    }
}
