import Foundation

extension FileManager {
    /// The files in a folder and in folders of it, by their paths in it.
    func files(in folder: String) throws -> [String] {
        try subpathsOfDirectory(atPath: folder).filter { path in
            var isFolder: ObjCBool = false
            return fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}
