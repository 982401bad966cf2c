/// How a daemon that does not run is started: one answer for every command.
struct DaemonStart {
    /// What is to be done.
    let words: String
    /// The command that does it.
    let command: String

    /// - Parameters:
    ///   - socket: where it should listen.
    ///   - service: whether systemd knows it.
    ///   - hasEnded: it ran, and left its socket behind.
    ///   - user: who asks.
    init(socket: String, service: Observations.Service, hasEnded: Bool, user: String) {
        let isUsual = socket == DaemonOptions.usualSocket
        if isUsual && service == .installed {
            words = hasEnded ? "start the service again" : "start the service"
            command = hasEnded ? "sudo systemctl restart sextantd.socket sextantd.service" : "sudo systemctl enable --now sextantd.socket"
        } else {
            // In /run only root may make a directory.
            let rights = isUsual && user != "root" ? "sudo " : ""
            words = hasEnded ? "run the daemon again" : "run the daemon"
            command = "\(rights)sextantd --socket \(socket)"
        }
    }
}
