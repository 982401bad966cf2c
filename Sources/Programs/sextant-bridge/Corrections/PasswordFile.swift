import Glibc
import SystemCalls

/// A file with a password in its first line.
enum PasswordFile {
    /// The maximum length of a password in bytes.
    private static let maxLength = 255

    /// Returns the password. A file that every user can read or write is refused.
    static func read(_ path: String) throws(BridgeError) -> String {
        do {
            let file = FileDescriptor(
                owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) })
            let number = file.number
            var status = stat()
            try systemCall("reading the status of \(path)") { fstat(number, &status) }
            guard status.st_mode & S_IROTH == 0 else {
                throw BridgeError.invalidPassword(path: path, reason: "every user can read it: use chmod 640")
            }
            // The writer of the password could send the position to an account of his own.
            guard status.st_mode & S_IWOTH == 0 else {
                throw BridgeError.invalidPassword(path: path, reason: "every user can write it: use chmod 640")
            }
            var bytes = [UInt8](repeating: 0, count: maxLength + 2)
            let capacity = bytes.count
            let count = try systemCall("reading \(path)") { Glibc.read(number, &bytes, capacity) }
            let line = bytes.prefix(count).prefix { $0 != 10 && $0 != 13 }
            guard (1...maxLength).contains(line.count), line.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
                throw BridgeError.invalidPassword(
                    path: path, reason: "its first line needs 1 to \(maxLength) bytes without control characters")
            }
            return String(decoding: line, as: UTF8.self)
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as BridgeError {
            throw error
        } catch {
            throw .invalidPassword(path: path, reason: "\(error)")
        }
    }
}
