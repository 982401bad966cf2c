import Varlink

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

    package init(_ members: inout MemberReader) throws(MemberError) {
        receiver = try members.string("receiver")
        known = try members.strings("known")
    }

    package func write(to object: inout ObjectWriter) {
        object.append(receiver, forKey: "receiver")
        object.append(known, forKey: "known")
    }

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "NoSuchReceiver") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(name: NoSuchReceiverError.name(in: interface), parameters: members)
    }
}
