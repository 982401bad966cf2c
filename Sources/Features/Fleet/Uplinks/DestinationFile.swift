import Glibc
import SystemCalls

/// A file with destinations. The path of a destination may be a token, and other users can read
/// the arguments of a program, but not this file.
package struct DestinationFile {
    let path: String

    /// Creates a description of the file at `path`.
    package init(path: String) { self.path = path }

    /// Returns the destinations. A file that every user can read or write is refused.
    package func destinations() throws(FleetError) -> [Destination] {
        do {
            let file = FileDescriptor(
                owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) })
            try check(file)
            return try DestinationList(try content(of: file)).destinations
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as FleetError {
            throw error
        } catch {
            throw .destinationFile(path: path, reason: "\(error)")
        }
    }

    private func check(_ file: borrowing FileDescriptor) throws {
        let number = file.number
        var status = stat()
        try systemCall("reading the status of \(path)") { fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FleetError.destinationFile(path: path, reason: "it is not a regular file")
        }
        // Who can write it could send the positions to a server of his own.
        guard status.st_mode & (S_IROTH | S_IWOTH) == 0 else {
            throw FleetError.destinationFile(path: path, reason: "every user can read or write it: use chmod 640")
        }
    }

    /// Reads at most one byte more than is allowed, which shows a longer file.
    private func content(of file: borrowing FileDescriptor) throws(SystemError) -> [UInt8] {
        let number = file.number
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= DestinationList.maxLength {
            let capacity = buffer.count
            let count = try systemCall("reading \(path)") { Glibc.read(number, &buffer, capacity) }
            if count <= 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}
