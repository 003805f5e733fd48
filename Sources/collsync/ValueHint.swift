import Synchronization

/// What a value should have been that was refused. The parser's message names the option and the
/// value only.
enum ValueHint {
    private static let forms = Mutex<[String: String]>([:])
    private static let mostForms = 64

    /// - Parameter form: what is right, such as `a size is …`.
    static func note(_ value: String, _ form: String) {
        forms.withLock { forms in
            if forms.count >= mostForms { forms = [:] }
            forms[value] = form
        }
    }

    /// A message of the parser, with what the value should have been behind its first line.
    static func added(to message: String) -> String {
        let hint = forms.withLock { forms in
            forms.first { message.contains("The value '\($0.key)' is invalid for") }?.value
        }
        guard let hint else { return message }
        let end = message.firstIndex { $0.isNewline } ?? message.endIndex
        return "\(message[..<end]): \(hint)\(message[end...])"
    }
}
