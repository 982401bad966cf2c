import TestSupport
import Varlink
import VarlinkClient

/// The interface descriptions of a daemon, with checks of its replies against them.
package struct InterfaceChecks {
    private var validators: [String: Validator] = [:]

    /// Requests all descriptions from a daemon.
    package init(asking client: BlockingClient) throws {
        let info = try client.call("org.varlink.service.GetInfo")
        for case .string(let name) in info["interfaces"]?.array ?? [] {
            let parameters: JSONValue = ["interface": .string(name)]
            let reply = try client.call(
                "org.varlink.service.GetInterfaceDescription", with: parameters)
            let interface = try InterfaceDescription(parsing: reply["description"]?.string ?? "")
            guard interface.name == name else { throw TestFailure("requested \(name), received \(interface.name)") }
            validators[name] = Validator(interface)
        }
    }

    /// All methods with their interface names.
    package var methods: [String] {
        validators.values.flatMap { validator in
            validator.interface.methodNames.map { "\(validator.interface.name).\($0)" }
        }.sorted()
    }

    /// Throws if the parameters of a reply do not match the interface.
    package func check(_ parameters: [String: JSONValue], replyTo method: String) throws {
        let call = Call(method: method)
        guard let validator = validators[call.interface] else {
            throw TestFailure("a reply to the unknown \(method)")
        }
        do {
            try validator.checkOutput(parameters, of: call.member)
        } catch {
            throw TestFailure("the reply to \(method) is not as declared: \(error) in \(parameters)")
        }
    }

    /// Throws if an error does not match its declaration.
    package func check(_ error: VarlinkError) throws {
        let name = Call(method: error.name)
        guard let validator = validators[name.interface] else { throw TestFailure("the undeclared error \(error)") }
        do {
            try validator.checkParameters(error.parameters, ofError: name.member)
        } catch let failure {
            throw TestFailure("the error \(error) is not as declared: \(failure)")
        }
    }
}

extension BlockingClient {
    /// Calls a method with parameters of any form.
    package func call(
        _ method: String, with parameters: JSONValue = [:], timeout: Duration = .seconds(45)
    ) throws(ClientError) -> JSONValue {
        let parameters = AnyMessage(members: parameters.object ?? [:])
        let method = Method<AnyMessage, AnyMessage>(named: method)
        return .object(try call(method, with: parameters, timeout: timeout).members)
    }

    /// Opens a stream with parameters of any form.
    package func stream(_ method: String, with parameters: JSONValue = [:]) throws(ClientError) -> ReplyStream {
        let parameters = AnyMessage(members: parameters.object ?? [:])
        return try stream(Method<AnyMessage, AnyMessage>(named: method), with: parameters)
    }
}
