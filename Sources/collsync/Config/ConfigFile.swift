import Glibc
import Yams

/// A config file of `collsync serve`: a YAML mapping of flags, without dashes, to their values.
///
/// It is turned into arguments, so that its values have the same parser, checks and messages as
/// those of the command line. Values are texts as they are written: `off` is a word, and YAML's
/// types are not used.
///
/// 1. Only names of flags, single values and lists of them are accepted, so arguments have a line.
/// 2. Nothing in a file makes reading slow or ends the program: its size, its depth and its aliases
///    are limited before it is parsed, and anything else is a ``ConfigError``.
struct ConfigFile {
    /// A flag that the file sets.
    struct Entry {
        let name: String
        /// `nil` for a flag without a value.
        let value: String?
        let line: Int

        /// With `=`, so that a value may begin with a dash.
        var argument: String { value.map { "--\(name)=\($0)" } ?? "--\(name)" }
    }

    let path: String
    /// In the order of the file; a list has an entry for each of its values.
    private(set) var entries: [Entry] = []

    private static let maximumBytes = 1 << 20
    /// Yams expands an alias in a key before it can be refused here. With so few, even nested ones
    /// expand to less than a thousand nodes.
    private static let maximumAliases = 16

    /// Reads a file.
    init(path: String) throws(ConfigError) {
        let bytes = try ConfigFile.bytes(of: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigError(file: path, line: nil, problem: "it is not UTF-8")
        }
        try self.init(text, path: path)
    }

    /// Parses the text of a file.
    init(_ text: String, path: String) throws(ConfigError) {
        self.path = path
        // An alias is an asterisk with a name, and can't be written in another way.
        let asterisks = zip(text.utf8, text.utf8.dropFirst())
            .count { $0 == UInt8(ascii: "*") && isNamePart($1) }
        guard asterisks <= ConfigFile.maximumAliases else {
            throw error("aliases can't be used, and words that begin with '*' seem to be some")
        }
        // Yams finds anchors only as long as their parser exists.
        let parser: Parser
        let root: Node?
        do {
            parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            root = try parser.singleRoot()
        } catch {
            throw ConfigError(file: path, yaml: error, text: text)
        }
        try withExtendedLifetime(parser) { () throws(ConfigError) in
            guard case .mapping(let mapping)? = root else {
                throw error("it has no flags with values, such as 'max-memory: 512M'", root)
            }
            try refuseExtras(of: .mapping(mapping))
            for (key, value) in mapping { try add(key, value) }
        }
    }

    private func error(_ problem: String, _ node: Node? = nil) -> ConfigError {
        ConfigError(file: path, line: node?.mark?.line, problem: problem)
    }

    /// Refuses anchors, aliases and explicit types.
    private func refuseExtras(of node: Node) throws(ConfigError) {
        guard node.anchor == nil else { throw error("anchors and aliases can't be used", node) }
        let usual: Set<Tag.Name> = [.str, .seq, .map]
        guard usual.contains(where: { $0.rawValue == node.tag.rawValue }) else {
            throw error("types can't be used, but this has '\(node.tag.rawValue)'", node)
        }
    }

    private mutating func add(_ key: Node, _ value: Node) throws(ConfigError) {
        guard case .scalar(let scalar) = key else {
            throw error("this is not the name of a flag", key)
        }
        try refuseExtras(of: key)
        let name = scalar.string
        guard name != "config" else { throw error("a config file can't name another one", key) }
        guard let kind = FlagNames.ofServe[name] else {
            let hint = FlagNames.ofServe.nearest(to: name).map { ", did you mean '\($0)'?" }
            throw error("there is no flag '\(name)'\(hint ?? "")", key)
        }
        switch value {
        case .sequence(let values):
            try refuseExtras(of: value)
            guard kind == .list else { throw error("'\(name)' takes no list", value) }
            for value in values {
                entries.append(
                    Entry(name: name, value: try text(of: value, name), line: line(value)))
            }
        case .scalar where kind == .toggle:
            switch try text(of: value, name) {
            case "true": entries.append(Entry(name: name, value: nil, line: line(key)))
            case "false": break
            case let other: throw error("'\(name)' is true or false, not '\(other)'", value)
            }
        default:
            entries.append(Entry(name: name, value: try text(of: value, name), line: line(key)))
        }
    }

    private func line(_ node: Node) -> Int { node.mark?.line ?? 1 }

    private func text(of node: Node, _ name: String) throws(ConfigError) -> String {
        guard case .scalar(let scalar) = node else {
            throw error("'\(name)' takes a single value", node)
        }
        try refuseExtras(of: node)
        let isNothing = ["", "~", "null", "Null", "NULL"].contains(scalar.string)
        guard !isNothing || scalar.style != .plain else {
            throw error("'\(name)' has no value: remove it, or write one", node)
        }
        guard !scalar.string.unicodeScalars.contains("\0") else {
            throw error("the value of '\(name)' has a null character", node)
        }
        return scalar.string
    }
}

extension ConfigFile {
    private static func bytes(of path: String) throws(ConfigError) -> [UInt8] {
        func error(_ problem: String) -> ConfigError {
            ConfigError(file: path, line: nil, problem: problem)
        }
        // A pipe without a writer must not block, and is empty when it is read again.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw error(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw error("it is not a regular file")
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maximumBytes {
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error(String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
        throw error("it is longer than \(maximumBytes) bytes")
    }
}

extension ConfigError {
    /// An error of Yams. Its own descriptions quote the file, which may have secrets.
    fileprivate init(file: String, yaml error: any Error, text: String) {
        self.file = file
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            line = mark.line
            self.problem = [context?.text, problem].compactMap { $0 }.joined(separator: ", ")
        case .reader(let problem, let offset, _, _):
            line = offset.map { text.prefix($0).count { $0.isNewline } + 1 }
            self.problem = problem
        case .duplicatedKeysInMapping(let names, let context):
            line = context.mark.line
            self.problem = "'\(names.first ?? "")' is given several times"
        default:
            line = nil
            self.problem = "it can't be read as YAML"
        }
    }
}

/// Whether a byte may be in the name of an alias.
private func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}
