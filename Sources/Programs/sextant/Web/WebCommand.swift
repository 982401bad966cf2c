import ArgumentParser
import Glibc
import SystemCalls

/// `sextant web`: prints where a browser shows the page.
struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Print the address of the page that shows the location in a web browser.",
        discussion: """
            The package sextant-web serves the page. At first only this machine reaches it. sextant-web(8) describes \
            how others do: through ssh, through nginx, or by a password in the local network.
            """)

    @Flag(help: "Also print the address for other machines as a code for the camera of a phone.")
    var qr = false

    static let port: UInt16 = 8947

    func run() throws {
        let reach = WebListener.reach(ofPort: WebCommand.port)
        guard reach > .none else {
            throw CommandError(
                "nothing serves the page: install the package sextant-web, and run sudo systemctl enable --now "
                    + "sextant-web.socket; without installation, run sextant demo --web",
                exitStatus: .unavailable)
        }
        let host = hostName() ?? "localhost"
        var lines = ["http://127.0.0.1:\(WebCommand.port)/"]
        let outside = "http://\(host.contains(".") ? host : host + ".local"):\(WebCommand.port)/"
        if reach == .network {
            lines.append("\(outside)    from other machines")
        } else {
            lines.append("from another machine: ssh -L \(WebCommand.port):127.0.0.1:\(WebCommand.port) \(host)")
        }
        try StandardOutput.write(lines: lines)
        guard qr else { return }
        guard reach == .network else {
            throw CommandError(
                "no phone reaches this address: only this machine is served. See sextant-web(8), local network")
        }
        try WebCommand.printCode(outside)
    }

    /// Replaces this process by the program that prints the code.
    private static func printCode(_ text: String) throws(CommandError) {
        let arguments = ["qrencode", "--type=UTF8", text]
        var pointers = arguments.map { strdup($0) } + [nil]
        execvp("qrencode", &pointers)
        throw CommandError("cannot run qrencode: \(String(cString: strerror(errno))); install the package qrencode")
    }
}

/// Who reaches a port of this machine, by the kernel's table of sockets (proc_pid_net(5)).
enum WebListener: Int, Comparable {
    case none, machine, network

    static func < (a: WebListener, b: WebListener) -> Bool { a.rawValue < b.rawValue }

    static func reach(ofPort port: UInt16) -> WebListener {
        ["/proc/net/tcp", "/proc/net/tcp6"].map { path in
            reach(ofPort: port, in: (try? CaptureFile.read(path)) ?? [])
        }.max() ?? .none
    }

    /// Reads the lines of a table: a number, the own address and port, the other ones, the state.
    static func reach(ofPort port: UInt16, in table: [UInt8]) -> WebListener {
        let loopback = ["0100007F", "00000000000000000000000001000000"]
        var found = WebListener.none
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 4).map {
                String(decoding: $0, as: UTF8.self)
            }
            // The state is TCP_LISTEN.
            guard fields.count == 5, fields[3] == "0A" else { continue }
            let end = fields[1].split(separator: ":")
            guard end.count == 2, UInt16(end[1], radix: 16) == port else { continue }
            found = max(found, loopback.contains(String(end[0])) ? .machine : .network)
        }
        return found
    }
}
