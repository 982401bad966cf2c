/// What a service is and offers. It answers `org.varlink.service` and turns away what the service does not have, so that a program only meets
/// calls of its own methods with parameters that fit their declaration.
public struct ServiceDirectory: Sendable {
    /// What is to be done with a call.
    public enum Route: Sendable, Equatable {
        /// Reply with this; nothing else is to be done.
        case reply(EncodedObject)
        /// Reply with this error.
        case fail(ServiceError)
        /// Serve `method` of `interface`; its parameters have been checked.
        case dispatch(interface: String, method: String)
    }

    /// What `GetInfo` tells.
    public let info: ServiceInterface.Info

    private var validators: [String: Validator]
    private let upgradable: Set<String>
    private let text: (@Sendable (String) -> String?)?

    /// A service with these interfaces; `org.varlink.service` comes by itself.
    ///
    /// - Parameters:
    ///   - interfaces: what it offers, in the order to be told.
    ///   - upgradable: methods, named with their interface, that may be called with `upgrade`.
    /// - Throws: only when the text of `org.varlink.service` is broken, which a test excludes.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription], upgradable: Set<String> = []
    ) throws(InterfaceSyntaxError) {
        let all = [try InterfaceDescription(parsing: ServiceInterface.text)] + interfaces
        info = .init(vendor: vendor, product: product, version: version, url: url, interfaces: all.map(\.name))
        validators = Dictionary(all.map { ($0.name, Validator($0)) }) { first, _ in first }
        self.upgradable = upgradable
        text = nil
    }

    /// A service that holds little: an interface is read when the first call comes for it, and its comments are not kept.
    ///
    /// - Parameters:
    ///   - names: what it offers, in the order to be told.
    ///   - text: the text of an interface; one whose text is broken or missing is as good as not there.
    /// - Throws: only when the text of `org.varlink.service` is broken, which a test excludes.
    public init(
        vendor: String, product: String, version: String, url: String, naming names: [String], upgradable: Set<String> = [],
        text: @escaping @Sendable (String) -> String?
    ) throws(InterfaceSyntaxError) {
        let own = try InterfaceDescription(parsing: ServiceInterface.text)
        info = .init(vendor: vendor, product: product, version: version, url: url, interfaces: [own.name] + names)
        validators = [own.name: Validator(own.bare)]
        self.upgradable = upgradable
        self.text = text
    }

    /// Reads the interface of a call if it is the first for it, and keeps what was read; without it ``route(_:)`` reads it each time.
    public mutating func prepare(for call: Call) {
        guard validators[call.interface] == nil, let validator = validator(call.interface) else { return }
        validators[call.interface] = validator
    }

    private func validator(_ name: String) -> Validator? {
        if let known = validators[name] { return known }
        guard info.interfaces.contains(name), let text = text?(name) else { return nil }
        return (try? InterfaceDescription(parsing: text)).map { Validator($0.bare) }
    }

    /// The description of an interface; nil when the service has none of that name.
    public func interface(_ name: String) -> InterfaceDescription? {
        validator(name)?.interface
    }

    /// Whether the service offers `method`, named with its interface.
    public func offers(_ method: String) -> Bool {
        let call = Call(method: method)
        return interface(call.interface)?.method(call.member) != nil
    }

    /// Decides about a call.
    public func route(_ call: Call) -> Route {
        guard let validator = validator(call.interface) else { return .fail(.interfaceNotFound(interface: call.interface)) }
        guard validator.interface.method(call.member) != nil else { return .fail(.methodNotFound(method: call.method)) }
        guard call.mode != .upgrade || upgradable.contains(call.method) else { return .fail(.methodNotImplemented(method: call.method)) }
        do {
            try validator.checkInput(of: call.member, call.parameters)
        } catch {
            let prefix = "parameters."
            return .fail(.invalidParameter(parameter: String(error.path.dropFirst(prefix.count))))
        }
        return call.interface == ServiceInterface.name ? answer(call) : .dispatch(interface: call.interface, method: call.member)
    }

    private func answer(_ call: Call) -> Route {
        if call.member == "GetInfo" { return .reply(describe(info)) }
        let name = call.parameters["interface"]?.string ?? ""
        guard let interface = interface(name) else { return .fail(.interfaceNotFound(interface: name)) }
        let description = name == ServiceInterface.name ? ServiceInterface.text : text?(name) ?? interface.text
        return .reply(EncodedObject(["description": .string(description)]))
    }

    private func describe(_ info: ServiceInterface.Info) -> EncodedObject {
        EncodedObject([
            "vendor": .string(info.vendor), "product": .string(info.product), "version": .string(info.version), "url": .string(info.url),
            "interfaces": .array(info.interfaces.map { .string($0) }),
        ])
    }
}
