import Glibc
import Settings

extension SettingsFile {
    /// Reads a list of users by name or number. Names are looked up once, when the file is read.
    func users(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> Set<UInt32> {
        guard let array = value?.array else { throw invalidUsers(in: section, key: key) }
        var users: Set<UInt32> = []
        for index in 0..<array.count {
            if let number = array[index].int.flatMap({ UInt32(exactly: $0) }) {
                users.insert(number)
            } else if let name = array[index].string, let entry = getpwnam(name) {
                users.insert(entry.pointee.pw_uid)
            } else {
                throw invalidUsers(in: section, key: key)
            }
        }
        return users
    }

    private func invalidUsers(in section: String, key: String) -> ConfigurationError {
        error(
            in: section, key: key,
            reason: "must be a list of names or numbers of users that exist, such as [\"sextant-inlet\"]")
    }
}
