/// The identity and the interfaces of a service.
///
/// It answers calls of `org.varlink.service` and rejects invalid calls. The program therefore
/// receives only calls of its own methods with parameters that match their declaration.
public struct ServiceDirectory: Sendable {
    /// The decision about a call.
    public enum Route: Sendable, Equatable {
        /// Send this reply; nothing else is required.
        case reply(EncodedObject)
        /// Send this error.
        case fail(ServiceError)
        /// Serve `method` of `interface`. Its parameters are valid.
        case dispatch(interface: String, method: String)
    }

    /// The reply to `GetInfo`.
    public let info: ServiceInterface.Info

    private var validators: [String: Validator]
    private let upgradable: Set<String>
    private let text: (@Sendable (String) -> String?)?

    /// Creates a service with these interfaces and `org.varlink.service`.
    ///
    /// - Parameters:
    ///   - interfaces: The interfaces in the order of `GetInfo`.
    ///   - upgradable: The methods, named with their interface, that accept `upgrade`.
    /// - Throws: ``InterfaceSyntaxError`` only if the text of `org.varlink.service` is invalid,
    ///   which a test excludes.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription],
        upgradable: Set<String> = []
    ) throws(InterfaceSyntaxError) {
        let all = [try InterfaceDescription(parsing: ServiceInterface.text)] + interfaces
        info = .init(vendor: vendor, product: product, version: version, url: url, interfaces: all.map(\.name))
        validators = Dictionary(all.map { ($0.name, Validator($0)) }) { first, _ in first }
        self.upgradable = upgradable
        text = nil
    }

    /// Creates a service that saves memory: it parses an interface at the first call and discards
    /// its comments.
    ///
    /// - Parameters:
    ///   - names: The interface names in the order of `GetInfo`.
    ///   - text: Returns the text of an interface. An interface with missing or invalid text counts
    ///     as not offered.
    /// - Throws: ``InterfaceSyntaxError`` only if the text of `org.varlink.service` is invalid,
    ///   which a test excludes.
    public init(
        vendor: String, product: String, version: String, url: String, naming names: [String],
        upgradable: Set<String> = [],
        text: @escaping @Sendable (String) -> String?
    ) throws(InterfaceSyntaxError) {
        let serviceInterface = try InterfaceDescription(parsing: ServiceInterface.text, documented: false)
        info = .init(
            vendor: vendor, product: product, version: version, url: url, interfaces: [serviceInterface.name] + names)
        validators = [serviceInterface.name: Validator(serviceInterface)]
        self.upgradable = upgradable
        self.text = text
    }

    /// Parses and caches the interface of a call at its first use. Without this, ``route(_:)``
    /// parses the interface for each call.
    public mutating func cacheInterface(for call: Call) {
        guard validators[call.interface] == nil, let validator = validator(call.interface) else { return }
        validators[call.interface] = validator
    }

    private func validator(_ name: String) -> Validator? {
        if let known = validators[name] { return known }
        guard info.interfaces.contains(name), let text = text?(name) else { return nil }
        return (try? InterfaceDescription(parsing: text, documented: false)).map(Validator.init)
    }

    /// Returns the description of an interface, or nil when the service does not offer it.
    public func interface(_ name: String) -> InterfaceDescription? {
        validator(name)?.interface
    }

    /// Returns whether the service offers `method`, named with its interface.
    public func offers(_ method: String) -> Bool {
        let call = Call(method: method)
        return interface(call.interface)?.method(call.member) != nil
    }

    /// Returns how the service must handle a call.
    public func route(_ call: Call) -> Route {
        guard let validator = validator(call.interface) else {
            return .fail(.interfaceNotFound(interface: call.interface))
        }
        guard validator.interface.method(call.member) != nil else { return .fail(.methodNotFound(method: call.method)) }
        guard call.mode != .upgrade || upgradable.contains(call.method) else {
            return .fail(.methodNotImplemented(method: call.method))
        }
        do {
            try validator.checkInput(call.parameters, of: call.member)
        } catch {
            let prefix = "parameters."
            return .fail(.invalidParameter(parameter: String(error.path.dropFirst(prefix.count))))
        }
        return call.interface == ServiceInterface.name
            ? serviceRoute(for: call) : .dispatch(interface: call.interface, method: call.member)
    }

    /// Routes a call of the interface `org.varlink.service` itself.
    private func serviceRoute(for call: Call) -> Route {
        if call.member == "GetInfo" { return .reply(describe(info)) }
        let name = call.parameters["interface"]?.string ?? ""
        guard let interface = interface(name) else { return .fail(.interfaceNotFound(interface: name)) }
        let description = name == ServiceInterface.name ? ServiceInterface.text : text?(name) ?? interface.text
        return .reply(EncodedObject(["description": .string(description)]))
    }

    private func describe(_ info: ServiceInterface.Info) -> EncodedObject {
        EncodedObject([
            "vendor": .string(info.vendor), "product": .string(info.product), "version": .string(info.version),
            "url": .string(info.url),
            "interfaces": .array(info.interfaces.map { .string($0) }),
        ])
    }
}
