import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    static var needsAdministrator: Self { .enabled(if: getuid() == 0, "only user 0 may change permissions") }
}
