import Permission
import SextantAPI
import Varlink

extension ProgramID {
    /// Returns the part of the program that a client names with `application`; `nil` if it names
    /// none.
    func part(_ application: String?) throws(VarlinkError) -> ProgramID? {
        guard let application else { return nil }
        guard let part = with(namespace: application) else { throw ServiceError.invalid("application") }
        return part
    }
}
