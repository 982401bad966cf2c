import Varlink
import Wire

/// A service that answers the calls of one interface. Each service owns its state.
protocol Service: AnyObject {
    /// Answers a call or begins a stream on the session.
    ///
    /// - Throws: The error reply of the call.
    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError)

    /// Releases what the session used; called when its connection has ended.
    func sessionClosed(_ session: ClientSession)
}

extension Service {
    func sessionClosed(_ session: ClientSession) {}
}

extension Call {
    /// Returns the parameters of a call of `method`.
    ///
    /// - Throws: The error reply `InvalidParameter`.
    func decode<Parameters, Reply>(_ method: Method<Parameters, Reply>) throws(VarlinkError) -> Parameters {
        do throws(ServiceError) { return try parameters(of: method) } catch { throw error.reply }
    }

    /// The error reply for a method that the service does not implement.
    var methodNotImplemented: VarlinkError { ServiceError.methodNotImplemented(method: method).reply }
}

extension ServiceError {
    /// Returns the error reply for an invalid value of a parameter.
    static func invalid(_ parameter: String) -> VarlinkError { invalidParameter(parameter: parameter).reply }
}

extension ClientSession {
    /// Answers a call of `method` with one reply, which `reply` makes from the parameters.
    func serve<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, call: Call,
        reply: (Parameters) throws(VarlinkError) -> Reply
    ) throws(VarlinkError) {
        self.reply(to: method, try reply(try call.decode(method)))
    }
}
