import CLinux
import Glibc

/// Which requests are answered: those for a name of this machine, and for data only those of the
/// page itself and of programs that are no browsers.
struct RequestCheck {
    /// Names in lower case, besides `localhost` and addresses.
    private let names: Set<String>

    /// - Parameter names: Further names of this machine, from the configuration.
    init(names: [String], hostName: String) {
        let host = hostName.lowercased()
        self.names = Set(names.map { $0.lowercased() } + [host, host + ".local", "localhost"])
    }

    /// Returns why a request is refused; nil if it is answered.
    ///
    /// The Host comes first: after DNS rebinding, a foreign page is of the same origin as this
    /// server for the browser, and only the name shows it. Data is not sent to other pages, and a
    /// page that only keeps the receiver on by loading an address as an image is refused too.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.header("Host"), isOwn(host) else {
            return .refusal(421, "This is not a name of this machine; list it in [web] names of sextant.toml.")
        }
        guard ["GET", "HEAD", "POST"].contains(request.method) else { return .refusal(405, "Use GET, HEAD or POST.") }
        guard request.method == "POST" else { return request.isForData && !isOwnPage(request) ? .foreign : nil }
        guard isOwnPage(request) else { return .foreign }
        // A foreign page needs the consent of this server for such a header, and it never gets it.
        guard request.header("Sextant-Request") == "1", request.header("Content-Type") == "application/json" else {
            return .refusal(415, "Send the headers Sextant-Request: 1 and Content-Type: application/json.")
        }
        guard !request.has("Transfer-Encoding"), let length = request.header("Content-Length").flatMap(Int.init) else {
            return .refusal(411, "Send the length of the content.")
        }
        return length > HTTPExchange.maxBody ? .refusal(413, "The content is too long.") : nil
    }

    /// Whether the page of this server, its user or another program than a browser has sent a
    /// request.
    private func isOwnPage(_ request: HTTPRequest) -> Bool {
        if request.has("Sec-Fetch-Site") {
            return ["same-origin", "none"].contains(request.header("Sec-Fetch-Site") ?? "")
        }
        guard request.has("Origin") else { return request.path != "/events" || isKnown(request) }
        guard let origin = request.header("Origin"), let host = request.header("Host") else { return false }
        return ["http://" + host, "https://" + host].contains(origin)
    }

    /// Whether a request without `Sec-Fetch-Site` and `Origin` is none of a foreign page.
    ///
    /// Browsers leave out both when a page loads an address of a local network as an image. Such a
    /// request has no header of ours, and no cookie that is for requests of the same site only.
    private func isKnown(_ request: HTTPRequest) -> Bool {
        let cookies = (request.header("Cookie") ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return request.header("Sextant-Request") == "1" || cookies.contains("sextant=1")
    }

    private func isOwn(_ host: String) -> Bool {
        let name = RequestCheck.name(of: host.lowercased())
        return names.contains(name) || Int32(linux_internet_address(name, 0).ss_family) != AF_UNSPEC
    }

    /// The name or address in a Host, without the port and the final dot; empty for another form.
    private static func name(of host: String) -> String {
        let isBracketed = host.hasPrefix("[")
        let name = host.dropFirst(isBracketed ? 1 : 0).prefix { $0 != (isBracketed ? "]" : ":") }
        let rest = host.dropFirst(name.count + (isBracketed ? 2 : 0))
        guard rest.isEmpty || rest.hasPrefix(":") && rest.dropFirst().allSatisfy({ $0.isWholeNumber }) else {
            return ""
        }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }
}

extension HTTPRequest {
    /// Whether the answer tells something about the device.
    fileprivate var isForData: Bool { ["/call/", "/events", "/metrics", "/tiles"].contains { path.hasPrefix($0) } }
}

extension HTTPResponse {
    fileprivate static var foreign: HTTPResponse { refusal(403, "Only the page of this server may ask for this.") }
}
