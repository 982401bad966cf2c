import Glibc
import Serial
import SystemCalls

/// Where ``ReceiverMemories`` are kept between runs; this register alone writes it.
struct ReceiverMemoryFile {
    private let file: StateFile

    init(path: String) { file = StateFile(path: path) }

    /// What is kept; empty when there is no file. One that is of no use is moved beside, for whoever wants to look, and said.
    func load() -> (memories: ReceiverMemories, notice: String?) {
        do throws(SystemError) {
            let text = String(decoding: try file.contents(), as: UTF8.self)
            if let memories = ReceiverMemories(text: text) { return (memories, nil) }
            _ = rename(file.path, file.path + ".damaged")
            return (
                ReceiverMemories(),
                "\(file.path) is set aside: it is not a list of receivers; one that sleeps has to be switched off and on"
            )
        } catch {
            return (ReceiverMemories(), error.code == ENOENT ? nil : "what receivers were told is not remembered: \(error)")
        }
    }

    /// Replaces the file as a whole.
    func save(_ memories: ReceiverMemories) throws(SystemError) { try file.replace(with: memories.text) }
}
