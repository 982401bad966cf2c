import CSystemd
import Glibc
import SystemCalls
import Varlink

/// A connection to the system's message bus (D-Bus) in the event loop. Nothing waits.
///
/// Messages are read as JSON: a dictionary becomes an object, whatever the type of its keys, and a
/// variant its contents.
package final class SystemBus {
    /// Why a call has no reply.
    package struct Failure: Error, Equatable, Sendable {
        /// The name of the error, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
        package let name: String
        /// The text of the error.
        package let message: String

        /// Whether no program has the name of the service.
        package var isServiceAbsent: Bool {
            ["ServiceUnknown", "NameHasNoOwner"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
        }
    }

    /// An argument of a call.
    package enum Argument: Sendable, Equatable {
        /// `u`
        case uint32(UInt32)
        /// `b`
        case bool(Bool)
        /// `s`
        case string(String)
        /// `y`
        case byte(UInt8)
        /// `q`
        case uint16(UInt16)
        /// `o`
        case path(String)
        /// `v`
        indirect case variant(Argument)
        /// `a`, with the signature of the elements.
        case array(String, [Argument])
        /// A structure.
        case structure([Argument])
        /// An entry of a dictionary.
        indirect case entry(Argument, Argument)

        /// `a{sv}`
        package static func dictionary(_ members: [(String, Argument)]) -> Argument {
            .array("{sv}", members.map { .entry(.string($0.0), .variant($0.1)) })
        }

        fileprivate var signature: String {
            switch self {
            case .uint32: "u"
            case .bool: "b"
            case .string: "s"
            case .byte: "y"
            case .uint16: "q"
            case .path: "o"
            case .variant: "v"
            case .array(let elements, _): "a" + elements
            case .structure(let members): "(" + members.map(\.signature).joined() + ")"
            case .entry(let key, let value): "{" + key.signature + value.signature + "}"
            }
        }
    }

    /// A call of a method.
    package struct Call: Sendable, Equatable {
        let service: String
        let path: String
        let interface: String
        let method: String
        let arguments: [Argument]
        let startsService: Bool

        /// Creates a call of a method of the object at `path`.
        ///
        /// - Parameter startsService: Whether the bus starts a service that does not run.
        package init(
            _ service: String, path: String, interface: String, method: String, arguments: [Argument] = [],
            startsService: Bool = false
        ) {
            self.service = service
            self.path = path
            self.interface = interface
            self.method = method
            self.arguments = arguments
            self.startsService = startsService
        }
    }

    private final class Handler {
        let handle: (OpaquePointer) -> Void
        init(_ handle: @escaping (OpaquePointer) -> Void) { self.handle = handle }
    }

    /// A call of an object of this program.
    package struct Request {
        /// The name of the method.
        package let member: String
        package let arguments: [JSONValue]
    }

    /// The name of the bus itself, whose signals say which programs have which names.
    package static let name = "org.freedesktop.DBus"
    /// The name under which the connection itself signals its end, `Disconnected`.
    package static let localName = "org.freedesktop.DBus.Local"

    /// Whether the bus of the system can be connected to.
    package static var isPresent: Bool {
        getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil || access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    private let bus: OpaquePointer
    private var matches: [Handler] = []
    /// The connections that have the names of services. The bus vouches for the sender of a reply.
    private var owners = [SystemBus.name: SystemBus.name, SystemBus.localName: SystemBus.localName]

    /// Connects to the bus of the system, or to that of DBUS_SYSTEM_BUS_ADDRESS.
    ///
    /// - Parameters:
    ///   - address: Another bus, for tests.
    ///   - endsLoop: Whether the loop ends with status 1 if the bus ends.
    package init(in loop: EventLoop, address: String? = nil, endsLoop: Bool = true) throws(SystemError) {
        var opened: OpaquePointer?
        var result = address == nil ? sd_bus_open_system(&opened) : sd_bus_new(&opened)
        if let address, result >= 0 { result = sd_bus_set_address(opened, address) }
        if address != nil, result >= 0 { result = sd_bus_set_bus_client(opened, 1) }
        if address != nil, result >= 0 { result = sd_bus_start(opened) }
        try throwingOnError(result, operation: "connecting to the system's message bus (D-Bus)")
        guard let opened else { throw SystemError(code: ENOMEM, operation: "connecting to the system's message bus") }
        bus = opened
        sd_bus_set_exit_on_disconnect(bus, endsLoop ? 1 : 0)
        // The last call follows the end of the loop.
        sd_bus_set_close_on_exit(bus, 0)
        try throwingOnError(sd_bus_attach_event(bus, loop.event, 0), operation: "watching the message bus")
    }

    deinit { sd_bus_flush_close_unref(bus) }

    /// Handles the signals of a service that a match rule describes, for the rest of the
    /// connection's lifetime.
    ///
    /// Any program may send a signal to this connection alone, and the bus then checks neither the
    /// rule nor who has the name. So signals count only from the connection that has sent a reply
    /// under the name of the service, or from the bus itself. Others are not decoded.
    ///
    /// - Parameters:
    ///   - service: The name of the service, or ``name``.
    ///   - handler: Gets the arguments of each signal. Captures its owner unowned or weakly.
    package func match(
        _ rule: String, of service: String, handler: @escaping ([JSONValue]) -> Void
    ) throws(SystemError) {
        try matchObjects(rule, of: service) { _, arguments in handler(arguments) }
    }

    /// As ``match(_:of:handler:)``, with the path of the object that sends the signal.
    package func matchObjects(
        _ rule: String, of service: String, handler: @escaping (String, [JSONValue]) -> Void
    ) throws(SystemError) {
        let rule = "type='signal',sender='\(service)',\(rule)"
        let match = Handler { [unowned self] message in
            guard let sender = sd_bus_message_get_sender(message), owners[service] == String(cString: sender) else {
                return
            }
            let path = sd_bus_message_get_path(message).map { String(cString: $0) }
            handler(path ?? "", SystemBus.values(of: message))
        }
        matches.append(match)
        let context = Unmanaged.passUnretained(match).toOpaque()
        try throwingOnError(
            sd_bus_add_match_async(bus, nil, rule, signalCallback, nil, context),
            operation: "asking for signals of the message bus")
    }

    /// Answers a service's calls of the object at `path` and of those below it, for the rest of the
    /// connection's lifetime. Calls of other programs are refused.
    ///
    /// - Parameter handler: Returns the values of the reply; nil for a method that is not known.
    ///   Captures its owner unowned or weakly.
    package func serve(
        _ path: String, to service: String, handler: @escaping (Request) -> [Argument]?
    ) throws(SystemError) {
        let object = Handler { [unowned self] message in
            guard let sender = sd_bus_message_get_sender(message), owners[service] == String(cString: sender),
                let member = sd_bus_message_get_member(message)
            else { return SystemBus.refuse(message) }
            let request = Request(member: String(cString: member), arguments: SystemBus.values(of: message))
            guard let values = handler(request) else { return SystemBus.refuse(message) }
            var reply: OpaquePointer?
            defer { sd_bus_message_unref(reply) }
            var result = sd_bus_message_new_method_return(message, &reply)
            for value in values where result >= 0 { result = SystemBus.append(value, to: reply) }
            if result >= 0 { sd_bus_send(nil, reply, nil) } else { SystemBus.refuse(message) }
        }
        matches.append(object)
        let context = Unmanaged.passUnretained(object).toOpaque()
        try throwingOnError(
            sd_bus_add_fallback(bus, nil, path, callCallback, context),
            operation: "serving an object on the message bus")
    }

    private static func refuse(_ message: OpaquePointer) { sd_bus_reply_method_errno(message, -EACCES, nil) }

    /// Lets the signals of a service count that has not sent a reply. Call it again when another
    /// program has the name.
    package func acceptSignals(of service: String) {
        let call = Call(
            SystemBus.name, path: "/org/freedesktop/DBus", interface: SystemBus.name, method: "GetNameOwner",
            arguments: [.string(service)])
        self.call(call) { [weak self] result in
            if case .success(let values) = result { self?.owners[service] = values.first?.string }
        }
    }

    /// Calls a method.
    ///
    /// - Parameter completion: Called once, with the values of the reply. Captures its owner
    ///   unowned or weakly.
    package func call(_ call: Call, completion: @escaping (Result<[JSONValue], Failure>) -> Void) {
        send(call, reading: SystemBus.values, completion: completion)
    }

    /// Calls a method whose reply is a descriptor. The completion owns its copy; -1 without one.
    package func callForDescriptor(_ call: Call, completion: @escaping (Result<Int32, Failure>) -> Void) {
        send(call, reading: SystemBus.descriptor, completion: completion)
    }

    private func send<Value>(
        _ call: Call, reading read: @escaping (OpaquePointer) -> Value,
        completion: @escaping (Result<Value, Failure>) -> Void
    ) {
        let handler = Handler { [weak self] reply in
            if sd_bus_message_is_method_error(reply, nil) == 0, let sender = sd_bus_message_get_sender(reply) {
                self?.owners[call.service] = String(cString: sender)
            }
            completion(SystemBus.result(of: reply, reading: read))
        }
        let context = Unmanaged.passRetained(handler)
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        var result = compose(call, &message)
        if result >= 0 { result = sd_bus_call_async(bus, nil, message, replyCallback, context.toOpaque(), 0) }
        guard result < 0 else { return }
        context.release()
        completion(.failure(SystemBus.failure(code: -result)))
    }

    /// Calls a method and waits for the reply, for the end of a program.
    ///
    /// - Parameter timeout: In microseconds.
    package func callAndWait(_ call: Call, timeout: UInt64) {
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        guard compose(call, &message) >= 0 else { return }
        var reply: OpaquePointer?
        sd_bus_call(bus, message, timeout, nil, &reply)
        sd_bus_message_unref(reply)
    }

    private func compose(_ call: Call, _ message: inout OpaquePointer?) -> Int32 {
        var result = sd_bus_message_new_method_call(
            bus, &message, call.service, call.path, call.interface, call.method)
        if result >= 0 { result = sd_bus_message_set_auto_start(message, call.startsService ? 1 : 0) }
        for argument in call.arguments where result >= 0 { result = SystemBus.append(argument, to: message) }
        return result
    }

    private static func append(_ argument: Argument, to message: OpaquePointer?) -> Int32 {
        switch argument {
        case .uint32(var value): return sd_bus_message_append_basic(message, type("u"), &value)
        case .bool(let flag):
            var value: Int32 = flag ? 1 : 0
            return sd_bus_message_append_basic(message, type("b"), &value)
        case .string(let text): return sd_bus_message_append_basic(message, type("s"), text)
        case .byte(var value): return sd_bus_message_append_basic(message, type("y"), &value)
        case .uint16(var value): return sd_bus_message_append_basic(message, type("q"), &value)
        case .path(let text): return sd_bus_message_append_basic(message, type("o"), text)
        case .variant(let value): return append([value], in: "v", value.signature, to: message)
        case .array(let signature, let elements): return append(elements, in: "a", signature, to: message)
        case .structure(let members):
            return append(members, in: "r", members.map(\.signature).joined(), to: message)
        case .entry(let key, let value):
            return append([key, value], in: "e", key.signature + value.signature, to: message)
        }
    }

    private static func append(
        _ arguments: [Argument], in container: Unicode.Scalar, _ signature: String, to message: OpaquePointer?
    ) -> Int32 {
        var result = sd_bus_message_open_container(message, type(container), signature)
        for argument in arguments where result >= 0 { result = append(argument, to: message) }
        return result >= 0 ? sd_bus_message_close_container(message) : result
    }

    fileprivate static func handleSignal(_ message: OpaquePointer, _ context: UnsafeMutableRawPointer) {
        Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().handle(message)
    }

    fileprivate static func handleReply(_ message: OpaquePointer, _ context: UnsafeMutableRawPointer) {
        Unmanaged<Handler>.fromOpaque(context).takeRetainedValue().handle(message)
    }

    private static func result<Value>(
        of reply: OpaquePointer, reading read: (OpaquePointer) -> Value
    ) -> Result<Value, Failure> {
        guard sd_bus_message_is_method_error(reply, nil) > 0 else { return .success(read(reply)) }
        let error = sd_bus_message_get_error(reply)?.pointee
        let name = error?.name.map { String(cString: $0) } ?? "unknown"
        return .failure(Failure(name: name, message: error?.message.map { String(cString: $0) } ?? name))
    }

    private static func failure(code: Int32) -> Failure {
        Failure(name: "System.Error", message: String(cString: strerror(code)))
    }
}

// MARK: Reading
extension SystemBus {
    /// The arguments of a message. What cannot be read ends them.
    private static func values(of message: OpaquePointer) -> [JSONValue] {
        var values: [JSONValue] = []
        while let value = value(in: message) { values.append(value) }
        return values
    }

    /// A copy of the descriptor that is the first argument of a message.
    private static func descriptor(of message: OpaquePointer) -> Int32 {
        var number: Int32 = -1
        guard sd_bus_message_read_basic(message, type("h"), &number) > 0 else { return -1 }
        return fcntl(number, F_DUPFD_CLOEXEC, 0)
    }

    private static func value(in message: OpaquePointer) -> JSONValue? {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(message, &kind, &contents) > 0 else { return nil }
        switch UInt8(bitPattern: kind) {
        case UInt8(ascii: "a"):
            let isDictionary = contents?.pointee == type("{")
            return inside(message, kind, contents) {
                isDictionary ? dictionary(in: message) : .array(values(of: message))
            }
        case UInt8(ascii: "v"): return inside(message, kind, contents) { value(in: message) ?? .null }
        case UInt8(ascii: "r"): return inside(message, kind, contents) { .array(values(of: message)) }
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): return text(in: message, kind)
        default: return number(in: message, kind)
        }
    }

    private static func inside(
        _ message: OpaquePointer, _ kind: CChar, _ contents: UnsafePointer<CChar>?, _ read: () -> JSONValue
    ) -> JSONValue? {
        guard sd_bus_message_enter_container(message, kind, contents) >= 0 else { return nil }
        let value = read()
        return sd_bus_message_exit_container(message) >= 0 ? value : nil
    }

    private static func dictionary(in message: OpaquePointer) -> JSONValue {
        var members: [String: JSONValue] = [:]
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        while sd_bus_message_peek_type(message, &kind, &contents) > 0,
            let entry = inside(message, kind, contents, { .array(values(of: message)) })?.array, entry.count == 2
        {
            members[entry[0].string ?? entry[0].int.map(String.init) ?? ""] = entry[1]
        }
        return .object(members)
    }

    private static func text(in message: OpaquePointer, _ kind: CChar) -> JSONValue? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, kind, &text) > 0, let text else { return nil }
        return .string(String(cString: text))
    }

    private static func number(in message: OpaquePointer, _ kind: CChar) -> JSONValue? {
        // All numbers are at the beginning of their place, in the byte order of the host.
        var bytes: UInt64 = 0
        guard sd_bus_message_read_basic(message, kind, &bytes) > 0 else { return nil }
        return withUnsafeBytes(of: &bytes) { place in
            switch UInt8(bitPattern: kind) {
            case UInt8(ascii: "b"): .bool(place.load(as: Int32.self) != 0)
            case UInt8(ascii: "y"): .int(Int64(place.load(as: UInt8.self)))
            case UInt8(ascii: "n"): .int(Int64(place.load(as: Int16.self)))
            case UInt8(ascii: "q"): .int(Int64(place.load(as: UInt16.self)))
            case UInt8(ascii: "i"): .int(Int64(place.load(as: Int32.self)))
            case UInt8(ascii: "u"): .int(Int64(place.load(as: UInt32.self)))
            case UInt8(ascii: "x"): .int(place.load(as: Int64.self))
            case UInt8(ascii: "t"): .int(Int64(clamping: place.load(as: UInt64.self)))
            case UInt8(ascii: "d"): .double(place.load(as: Double.self))
            // A descriptor, which belongs to the message.
            default: .null
            }
        }
    }

    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(bitPattern: UInt8(ascii: letter)) }
}

private func signalCallback(
    message: OpaquePointer?, context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    if let message, let context { SystemBus.handleSignal(message, context) }
    return 0
}

private func callCallback(
    message: OpaquePointer?, context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    if let message, let context { SystemBus.handleSignal(message, context) }
    return 1
}

private func replyCallback(
    message: OpaquePointer?, context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    if let message, let context { SystemBus.handleReply(message, context) }
    return 0
}
