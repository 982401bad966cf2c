import Glibc
import Permission
import SystemCalls

/// The file with the secret of reduced locations, in the state directory. All servers get reduced
/// locations of one secret, so that several of them together learn no more than one.
struct ReducedSecretFile {
    private let path: String

    /// - Parameter state: The state directory.
    init(state: String) { path = state + "/reduced-secret" }

    /// Returns the secret, and writes a new one if the file is missing or damaged.
    func secret() throws(FleetError) -> ReducedSecret {
        do throws(SystemError) {
            if let secret = try stored() { return secret }
            let secret = ReducedSecret()
            try write(secret)
            return secret
        } catch {
            throw .system(error)
        }
    }

    private func stored() throws(SystemError) -> ReducedSecret? {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        if number < 0, errno == ENOENT { return nil }
        let file = FileDescriptor(owning: try systemCall("opening \(path)") { number })
        // One byte more than expected shows a longer file.
        var bytes = [UInt8](repeating: 0, count: ReducedSecret.byteCount + 1)
        let count = try systemCall("reading \(path)") { read(file.number, &bytes, bytes.count) }
        return ReducedSecret(bytes: Array(bytes.prefix(count)))
    }

    private func write(_ secret: ReducedSecret) throws(SystemError) {
        let temporary = path + ".new"
        let number = try systemCall("creating \(temporary)") {
            open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        let file = FileDescriptor(owning: number)
        let count = try systemCall("writing \(temporary)") {
            Glibc.write(file.number, secret.bytes, secret.bytes.count)
        }
        guard count == secret.bytes.count else { throw SystemError(code: ENOSPC, operation: "writing \(temporary)") }
        try systemCall("writing \(temporary)") { fsync(file.number) }
        try systemCall("writing \(path)") { rename(temporary, path) }
    }
}
