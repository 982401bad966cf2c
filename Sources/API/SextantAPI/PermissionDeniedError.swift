import Varlink

// The errors that several interfaces have.

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

    package init(_ members: inout MemberReader) {
        authorization = members.name("authorization", unknown: .unknown)
        decidedBy = members.string("decidedBy")
        detail = members.string("detail")
    }

    package func write(to object: inout ObjectWriter) {
        object.append(authorization.rawValue, forKey: "authorization")
        object.append(decidedBy, forKey: "decidedBy")
        object.append(detail, forKey: "detail")
    }

    /// Creates the error from a reply of any interface; nil for another error.
    package init?(_ error: VarlinkError) {
        guard error.name.hasSuffix(".PermissionDenied"), let value = try? Self(error.parameters) else { return nil }
        self = value
    }

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "PermissionDenied") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(name: PermissionDeniedError.name(in: interface), parameters: members)
    }
}

/// The error `NoSuchReceiver` of `io.sextant.Location` and `io.sextant.Receiver`.
package struct NoSuchReceiverError: Message, Equatable {
    /// The requested name or port.
    package var receiver: String
    /// The names of the known receivers.
    package var known: [String]

    /// Creates the error for an unknown name or port.
    package init(receiver: String, known: [String]) {
        (self.receiver, self.known) = (receiver, known)
    }

    package init(_ members: inout MemberReader) {
        receiver = members.string("receiver")
        known = members.strings("known")
    }

    package func write(to object: inout ObjectWriter) {
        object.append(receiver, forKey: "receiver")
        object.append(known, forKey: "known")
    }

    /// Creates the error from a reply of any interface; nil for another error.
    package init?(_ error: VarlinkError) {
        guard error.name.hasSuffix(".NoSuchReceiver"), let value = try? Self(error.parameters) else { return nil }
        self = value
    }

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "NoSuchReceiver") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(name: NoSuchReceiverError.name(in: interface), parameters: members)
    }
}
