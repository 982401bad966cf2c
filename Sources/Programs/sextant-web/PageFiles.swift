import Glibc
import SystemCalls

/// The files of the page, in a folder that only the administrator changes.
struct PageFiles {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
        "bin": "application/octet-stream", "webmanifest": "application/manifest+json",
    ]

    private let folder: String

    /// - Parameter folder: The path of the folder.
    init(in folder: String) { self.folder = folder }

    /// The answer to a request for a file. The browser keeps it, and asks each time whether it has
    /// changed.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        let path = request.path == "/" ? "/index.html" : request.path
        guard let type = PageFiles.type(of: path) else { return .missing }
        let descriptor = uninterrupted { open(folder + path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { return .missing }
        let file = FileDescriptor(owning: descriptor)
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .missing }
        let time = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        let tag = "\"\(SextantVersion.current)-\(time)-\(status.st_size)\""
        let headers = [
            (name: "ETag", value: tag), (name: "Cache-Control", value: "no-cache"),
            // With it, the page's requests differ from those of other sites (RequestCheck).
            (name: "Set-Cookie", value: "sextant=1; SameSite=Strict; HttpOnly; Path=/"),
        ]
        if request.header("If-None-Match") == tag {
            return HTTPResponse(304, type: type, headers: headers, .bytes([]))
        }
        let size = UInt64(max(0, status.st_size))
        return HTTPResponse(200, type: type, headers: headers, .file(descriptor: file.release(), size: size))
    }

    /// The type of a file by its name; nil if it is not served. Each part of the path begins with a
    /// letter, digit, hyphen or underscore, so that none is hidden or leads to another folder.
    static func type(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard !parts.isEmpty, parts.allSatisfy(isName), let end = path.lastIndex(of: ".") else { return nil }
        return types[String(path[path.index(after: end)...])]
    }

    private static func isName(_ part: Substring) -> Bool {
        guard let first = part.utf8.first, first != UInt8(ascii: ".") else { return false }
        return part.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
        }
    }
}

extension HTTPResponse {
    static var missing: HTTPResponse { refusal(404, "There is nothing at this address.") }
}
