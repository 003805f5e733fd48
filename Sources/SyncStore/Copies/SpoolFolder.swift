import Glibc
import SyncIO

/// A folder with a store that is removed, unless the store takes its place.
///
/// The folder may be removed on another thread, for example when a signal ends the process. So a
/// store is never removed while it takes its place.
package final class SpoolFolder: Sendable {
    /// `nil` before it is made, and after it was moved or removed.
    private let path = Monitor<String?>(nil)

    package init() {}

    /// Makes a folder whose name begins like this.
    func make(_ prefix: String) throws(StoreError) -> String {
        var template = Array("\(prefix)XXXXXX".utf8CString)
        let isMade = path.withLock { path in
            guard mkdtemp(&template) != nil else { return false }
            path = String(
                decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            return true
        }
        guard isMade else { throw .failedCall(prefix) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Gives the folder its place.
    func move(to target: String) throws(StoreError) {
        let failure = path.withLock { path -> StoreError? in
            guard let folder = path else { return .closed }
            do throws(StoreError) {
                try CopyFile.syncFolder(of: folder + "/")
                guard rename(folder, target) == 0 else { throw .failedCall(target) }
                path = nil
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        try CopyFile.syncFolder(of: target)
    }

    /// Removes the folder and its files, if it is there.
    package func remove() {
        path.withLock { path in
            guard let made = path else { return }
            path = nil
            // Another thread may still make files here. It finds no folder of this name then.
            let doomed = made + ".removed"
            let folder = rename(made, doomed) == 0 ? doomed : made
            if let entries = opendir(folder) {
                defer { closedir(entries) }
                while let entry = readdir(entries) {
                    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                    }
                    unlink("\(folder)/\(name)")
                }
            }
            rmdir(folder)
        }
    }
}
