import Varlink

/// The error `PermissionDenied` of several interfaces.
package struct PermissionDeniedError: Message, Equatable {
    /// What the program may know.
    package var authorization: Authorization
    /// What decided, as text.
    package var decidedBy: String
    /// The reason and how to change it, as text.
    package var detail: String

    /// Creates the error for a program that may not know what a call needs.
    package init(authorization: Authorization, decidedBy: String, detail: String) {
        self.authorization = authorization
        self.decidedBy = decidedBy
        self.detail = detail
    }

    package init(_ members: inout MemberReader) throws(MemberError) {
        authorization = try members.name("authorization", unknown: .unknown)
        decidedBy = try members.string("decidedBy")
        detail = try members.string("detail")
    }

    package func write(to object: inout ObjectWriter) {
        object.append(authorization.rawValue, forKey: "authorization")
        object.append(decidedBy, forKey: "decidedBy")
        object.append(detail, forKey: "detail")
    }

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "PermissionDenied") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(name: PermissionDeniedError.name(in: interface), parameters: members)
    }
}
