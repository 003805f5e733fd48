import Glibc
import SyncTokens

/// The files that keys are read from: single files, and folders with files.
///
/// The id of a key in a PEM is the name of its file up to the first point.
struct KeyFiles: Sendable {
    let paths: [String]

    private static let maximumFileBytes = 1 << 20
    /// Files of a folder that have keys.
    private static let endings = [".pem", ".json", ".jwk", ".jwks"]

    /// Reads all keys.
    func read() throws(KeyError) -> KeyRing {
        var keys: [SignatureKey] = []
        for path in paths {
            for file in try KeyFiles.files(of: path) { keys += try KeyFiles.read(file) }
        }
        return try KeyRing(keys)
    }

    /// Reads the keys of one file.
    static func read(_ file: String) throws(KeyError) -> [SignatureKey] {
        let bytes = try bytes(of: file)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw KeyError("\(file): this is no text")
        }
        let name = file.split(separator: "/").last?.prefix { $0 != "." } ?? ""
        do throws(KeyError) {
            return try SignatureKey.read(text, named: String(name))
        } catch {
            throw KeyError("\(file): \(error)")
        }
    }

    /// The files of a folder with keys, by name; or the file itself.
    private static func files(of path: String) throws(KeyError) -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOTDIR { return [path] }
            throw KeyError("\(path): \(systemError())")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), endings.contains(where: name.hasSuffix) { names.append(name) }
            guard names.count <= KeyRing.maximumKeys else {
                throw KeyError("\(path): there are more than \(KeyRing.maximumKeys) files")
            }
        }
        guard !names.isEmpty else {
            throw KeyError("\(path): no file ends in \(endings.joined(separator: ", "))")
        }
        return names.sorted().map { "\(path)/\($0)" }
    }

    private static func bytes(of file: String) throws(KeyError) -> [UInt8] {
        guard let stream = fopen(file, "rb") else { throw KeyError("\(file): \(systemError())") }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: maximumFileBytes + 1)
        let count = fread(&bytes, 1, bytes.count, stream)
        guard ferror(stream) == 0 else { throw KeyError("\(file): \(systemError())") }
        guard count <= maximumFileBytes else {
            throw KeyError("\(file): it is longer than \(maximumFileBytes) bytes")
        }
        return Array(bytes[..<count])
    }

    private static func systemError() -> String { String(cString: strerror(errno)) }
}
