import Glibc

extension Child {
    /// The path of `EventScribe`, beside the test bundle.
    static func scribe() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let bundle = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return bundle.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/EventScribe"
    }
}
