import CLinux
import Glibc
import SystemCalls
import Varlink

/// Collects the observations for `sextant doctor bridges`.
struct BridgeProbe {
    /// Where the files of the system are; another folder in tests.
    var root = ""
    var port: UInt16 = 2947
    var chronyPath = "/run/chrony.sextant.sock"

    private static let geoclueSocket = "/run/sextant-geoclue.sock"
    private static let bridgeUser = "sextant-time"
    /// The programs that are agents of GeoClue: desktops and its demonstration. /proc has the first
    /// 15 bytes of a name.
    private static let agents: Set<String> = [
        "agent", "geoclue-demo-ag", "gnome-shell", "plasmashell", "phosh", "sway", "lipstick", "io.elementary.d",
    ]
    /// How long a program at the port has to answer.
    private static let timeout = 2000

    func observe() -> BridgeObservations {
        BridgeObservations(port: gpsdPort(), geoclue: geoclue(), chrony: chrony(), chronyPath: chronyPath)
    }

    /// Returns who serves gpsd's port. A gpsd that starts accepts connections before it answers.
    private func gpsdPort() -> BridgeObservations.GPSDPort {
        let answer = answerOfPort()
        return answer == .unknown && runs { $0 == "gpsd" } ? .other(release: nil) : answer
    }

    /// Connects to gpsd's port. A gpsd sends its version at once.
    private func answerOfPort() -> BridgeObservations.GPSDPort {
        var address = linux_internet_address("127.0.0.1", port)
        let number = linux_tcp_connect(&address)
        guard number >= 0 else { return .free }
        let socket = FileDescriptor(owning: number)
        var entry = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        guard uninterrupted({ poll(&entry, 1, Int32(BridgeProbe.timeout)) }) > 0 else { return .unknown }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && errno == ECONNREFUSED ? .free : .unknown }
        let line = buffer.prefix(count).prefix { $0 != 10 && $0 != 13 }
        guard let value = try? JSONValue(parsing: Array(line), depthLimit: 4), value["class"] == "VERSION" else {
            return .unknown
        }
        if value["rev"]?.string?.hasPrefix("sextant ") == true { return .bridge }
        return .other(release: TerminalText.sanitized(value["release"]?.string ?? "?"))
    }

    private func geoclue() -> BridgeObservations.GeoClue {
        guard exists(BridgeProbe.geoclueSocket) else { return .disabled }
        let folder = "/etc/geoclue/conf.d"
        let files = ["/etc/geoclue/geoclue.conf"] + names(in: folder).map { "\(folder)/\($0)" }
        guard files.contains(where: { namesSocket($0) }) else { return .notConfigured }
        return runs { BridgeProbe.agents.contains($0) } ? .complete : .withoutAgent
    }

    /// Whether a process runs whose name satisfies a condition.
    private func runs(_ isWanted: (String) -> Bool) -> Bool {
        names(in: "/proc").contains { Int($0) != nil && isWanted(text(of: "/proc/\($0)/comm").trimmed) }
    }

    private func namesSocket(_ path: String) -> Bool {
        text(of: path).split(separator: "\n").contains { line in
            let line = line.filter { $0 != " " && $0 != "\t" }
            return line.hasPrefix("nmea-socket=") && line.hasSuffix(BridgeProbe.geoclueSocket)
        }
    }

    private func chrony() -> BridgeObservations.Chrony {
        let isEnabled = exists("/etc/systemd/system/multi-user.target.wants/sextant-time.service")
        var status = stat()
        guard stat(root + chronyPath, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            return isEnabled ? .missing : .disabled
        }
        if let user = getpwnam(BridgeProbe.bridgeUser)?.pointee {
            let mayWrite =
                status.st_uid == user.pw_uid
                ? status.st_mode & S_IWUSR != 0
                : status.st_gid == user.pw_gid ? status.st_mode & S_IWGRP != 0 : status.st_mode & S_IWOTH != 0
            guard mayWrite else { return .denied }
        }
        guard !isUnread(root + chronyPath) else { return .unread }
        let folder = "/etc/chrony/conf.d"
        let files = ["/etc/chrony/chrony.conf"] + names(in: folder).map { "\(folder)/\($0)" }
        return files.contains(where: hasOffset) ? .offset : .complete
    }

    private func hasOffset(_ path: String) -> Bool {
        text(of: path).split(separator: "\n").contains { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.first == "refclock" && words.contains("offset") && words.contains { $0 == chronyPath }
        }
    }

    /// Whether a socket has no program that reads it. Nothing is sent.
    private func isUnread(_ path: String) -> Bool {
        do throws(SystemError) { _ = try UnixSocket.connect(to: path, .datagrams) } catch {
            return error.code == ECONNREFUSED
        }
        return false
    }

    // MARK: Files

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(root + path, &status) == 0
    }

    private func names(in folder: String) -> [String] { (try? Directory.names(in: root + folder)) ?? [] }

    private func text(of path: String) -> String { TextFile.text(of: root + path) }
}

extension String {
    /// The text without the line end of a file with one line.
    fileprivate var trimmed: String { String(prefix { $0 != "\n" }) }
}
