import Glibc

/// Programs and users, for people.
enum ProgramWords {
    /// A program's own name; the daemon may not have been able to read it.
    static func name(_ name: String?) -> String {
        guard let name else { return "" }
        return name.isEmpty ? "?" : name
    }

    /// A user's name, or its number where it has none.
    static func user(_ number: Int) -> String {
        guard let user = uid_t(exactly: number), let entry = getpwuid(user), let name = entry.pointee.pw_name else { return "\(number)" }
        return String(cString: name)
    }
}
