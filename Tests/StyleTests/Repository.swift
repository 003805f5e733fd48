import Foundation

/// The files of the package that this test was built from.
enum Repository {
    struct File {
        /// The path from the package's top folder.
        let path: String
        let text: String
    }

    struct Unreadable: Error {
        let path: String
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The names in a folder, including hidden ones.
    static func entries(under folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .sorted()
    }

    /// The folders in a folder.
    static func folders(under folder: String) throws -> [String] {
        try entries(under: folder).filter { isFolder(root.appending(path: "\(folder)/\($0)")) }
    }

    static func text(of path: String) throws -> String {
        let data = try Data(contentsOf: root.appending(path: path))
        guard let text = String(bytes: data, encoding: .utf8) else { throw Unreadable(path: path) }
        return text
    }

    /// The Swift files, except for generated ones.
    static func swiftFiles(under folder: String? = nil) throws -> [File] {
        let folders = folder.map { [$0] } ?? ["Sources", "Tests"]
        return try folders.flatMap(files).filter {
            $0.hasSuffix(".swift") && !$0.hasSuffix(".pb.swift")
        }.map { File(path: $0, text: try text(of: $0)) }
    }

    /// The text files for people, programs and shells: everything except large data.
    static func textFiles() throws -> [File] {
        let top = ["Package.swift", "README.md", ".gitignore", ".swift-format"]
        let paths = try ["Sources", "Tests", "Protocol", "deploy", ".ci"].flatMap(files) + top
        let data = ["jsonl", "gz", "bin", "png"]
        return try paths.filter { !data.contains(URL(filePath: $0).pathExtension) }
            .map { File(path: $0, text: try text(of: $0)) }
    }

    /// The paths of all files in a folder and its subfolders.
    static func files(under folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .map { "\(folder)/\($0)" }
            .filter { !isFolder(root.appending(path: $0)) }
            .sorted()
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
