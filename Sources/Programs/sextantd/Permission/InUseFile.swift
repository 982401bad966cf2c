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
    private let file: AtomicFile
    /// The contents of the file; nil before the first write.
    private var contents: String?

    /// - Parameter socket: The path of the daemon's socket.
    init(besideSocket socket: String) {
        let directory = socket.lastIndex(of: "/").map { socket[...$0] } ?? ""
        // Everybody may read it, whatever the mask of the service is.
        file = AtomicFile(path: "\(directory)in-use", mode: 0o644, isDurable: false)
    }

    /// Replaces the file atomically if its contents change.
    mutating func write(_ programs: [ProgramInUse]) throws(SystemError) {
        let text = programs.map { InUseFile.line($0) + "\n" }.joined()
        guard text != contents else { return }
        guard !text.isEmpty else {
            do throws(SystemError) { try systemCall("removing \(file.path)") { unlink(file.path) } } catch
                where error.code == ENOENT
            {}
            contents = text
            return
        }
        try file.replace(with: text)
        contents = text
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
