import Glibc
import SyncYAML

/// A config file of `collsync serve`: a YAML mapping of flags, without dashes, to their values.
///
/// It is turned into arguments, so that its values have the same parser, checks and messages as
/// those of the command line. Values are texts as they are written: `off` is a word, and YAML's
/// types are not used.
///
/// 1. Only names of flags, single values and lists of them are accepted, so arguments have a line.
/// 2. Nothing in a file makes reading slow or ends the program: its size is limited before it is
///    parsed, and anything else is a ``ConfigError``.
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
    private var names: Set<String> = []

    private static let maximumBytes = 1 << 20

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
        let mapping: YAMLMapping
        do throws(YAMLError) {
            mapping = try YAMLMapping(text)
        } catch {
            throw ConfigError(file: path, line: error.line, problem: error.problem)
        }
        for (key, value) in mapping.members { try add(key, value) }
    }

    private func error(_ problem: String, _ node: YAMLMapping.Node) -> ConfigError {
        ConfigError(file: path, line: node.line, problem: problem)
    }

    private mutating func add(
        _ key: YAMLMapping.Node, _ value: YAMLMapping.Node
    ) throws(ConfigError) {
        guard case .text(let name, _) = key.value else {
            throw error("this is not the name of a flag", key)
        }
        guard name != "config" else { throw error("a config file can't name another one", key) }
        guard let kind = FlagNames.ofServe[name] else {
            let hint = FlagNames.ofServe.nearest(to: name).map { ", did you mean '\($0)'?" }
            throw error("there is no flag '\(name)'\(hint ?? "")", key)
        }
        guard names.insert(name).inserted else {
            throw error("'\(name)' is given several times", key)
        }
        switch value.value {
        case .list(let values):
            guard kind == .list else { throw error("'\(name)' takes no list", value) }
            for value in values {
                entries.append(
                    Entry(name: name, value: try text(of: value, name), line: value.line))
            }
        case .text where kind == .toggle:
            switch try text(of: value, name) {
            case "true": entries.append(Entry(name: name, value: nil, line: key.line))
            case "false": break
            case let other: throw error("'\(name)' is true or false, not '\(other)'", value)
            }
        case .text, .mapping:
            entries.append(Entry(name: name, value: try text(of: value, name), line: key.line))
        }
    }

    private func text(of node: YAMLMapping.Node, _ name: String) throws(ConfigError) -> String {
        guard case .text(let text, let isPlain) = node.value else {
            throw error("'\(name)' takes a single value", node)
        }
        let isNothing = ["", "~", "null", "Null", "NULL"].contains(text)
        guard !isNothing || !isPlain else {
            throw error("'\(name)' has no value: remove it, or write one", node)
        }
        guard !text.unicodeScalars.contains("\0") else {
            throw error("the value of '\(name)' has a null character", node)
        }
        return text
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
