import CLinux
import Glibc

/// A symbolic link that always leads to the pseudo-terminal of the moment.
struct StableLink {
    let path: String

    /// Makes the link lead to `target`, in one step, so that nobody finds it missing or half made.
    ///
    /// - Throws: ``SystemFailure``; `EEXIST` when something other than a link is in the way.
    func point(to target: String) throws(SystemFailure) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK {
            throw SystemFailure(action: "make the link \(path), where something else already is", code: EEXIST)
        }
        let draft = "\(path).\(getpid())"
        unlink(draft)
        try system("make the link \(path)") { symlink(target, draft) }
        do {
            try system("make the link \(path)") { rename(draft, path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Removes the link if it still leads to `target`; someone else's is left alone.
    func remove(ifPointingTo target: String) {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(path, &buffer, buffer.count)
        guard length > 0 else { return }
        if buffer[..<length].map({ UInt8(bitPattern: $0) }).elementsEqual(target.utf8) { unlink(path) }
    }
}
