import Glibc
import SerialPorts
import SystemCalls

/// The file that keeps ``ReceiverStateStore`` between runs. Only the port manager writes it.
struct ReceiverStateFile {
    private let file: AtomicFile

    init(path: String) { file = AtomicFile(path: path) }

    /// Loads the saved state, empty if there is no file. An invalid file is renamed for later
    /// inspection and reported in `notice`.
    func load() -> (states: ReceiverStateStore, notice: String?) {
        do throws(SystemError) {
            let text = String(decoding: try file.contents(), as: UTF8.self)
            if let states = ReceiverStateStore(text: text) { return (states, nil) }
            _ = rename(file.path, file.path + ".damaged")
            return (
                ReceiverStateStore(),
                "\(file.path) is damaged and was renamed; power-cycle any receiver that stays asleep"
            )
        } catch {
            return (
                ReceiverStateStore(), error.code == ENOENT ? nil : "cannot read the saved state of receivers: \(error)"
            )
        }
    }

    /// Replaces the file as a whole.
    func save(_ states: ReceiverStateStore) throws(SystemError) { try file.replace(with: states.text) }
}
