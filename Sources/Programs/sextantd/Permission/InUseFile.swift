import Chronology
import Glibc
import Permission
import SystemCalls

/// The file that names the programs that get the location now, for an indicator on a panel. It is
/// beside the socket, and every user may read it.
///
/// Each line has five fields, separated by spaces: program, application or `-`, accuracy, start or
/// `-`, and what the location is used for, separated by commas. Without such a program there is no
/// file.
struct InUseFile {
    private let path: String
    /// The contents of the file; nil if it is not known.
    private var contents: String?

    /// - Parameter socket: The path of the daemon's socket.
    init(besideSocket socket: String) {
        let directory = socket.lastIndex(of: "/").map { socket[...$0] } ?? ""
        path = "\(directory)in-use"
    }

    /// Replaces the file atomically if its contents change.
    mutating func write(_ programs: [ProgramInUse]) throws(SystemError) {
        let text = programs.map { InUseFile.line($0) + "\n" }.joined()
        guard text != contents else { return }
        contents = nil
        guard !text.isEmpty else {
            do throws(SystemError) { try systemCall("removing \(path)") { unlink(path) } } catch
                where error.code == ENOENT
            {}
            contents = text
            return
        }
        let temporary = path + ".new"
        // Another user may have put a file there, if the directory allows it.
        _ = unlink(temporary)
        do throws(SystemError) {
            try create(temporary, with: Array(text.utf8))
            try systemCall("replacing \(path)") { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        contents = text
    }

    private func create(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = FileDescriptor(owning: try systemCall("creating \(path)") { open(path, flags, 0o644) })
        // The umask of the service does not apply to what everybody may read.
        try systemCall("setting the permissions of \(path)") { fchmod(file.number, 0o644) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try systemCall("writing \(path)") {
                rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }

    private static func line(_ program: ProgramInUse) -> String {
        let fields = [
            program.program.description, program.program.application ?? "-", program.accuracy.rawValue,
            program.since?.description ?? "-", program.kinds.map(\.rawValue).joined(separator: ","),
        ]
        // Names of units have no spaces, but stored programs of earlier versions may.
        return fields.map { field in String(TerminalText.sanitized(field).map { $0 == " " ? "_" : $0 }) }
            .joined(separator: " ")
    }
}
