/// `org.varlink.service`, the interface that every Varlink service offers.
public enum ServiceInterface {
    /// Its name.
    public static let name = "org.varlink.service"

    /// Its description, as `GetInterfaceDescription` tells it.
    public static let text = """
        # What every Varlink service offers: who it is, which interfaces it has, and the errors that all of them share.
        interface org.varlink.service

        # Who the service is.
        #   vendor       who makes it
        #   product      its name
        #   version      its version
        #   url          where to read about it
        #   interfaces   names of its interfaces, this one among them
        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

        # The description of an interface, in the language of this text.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service has no such interface.
        error InterfaceNotFound (interface: string)

        # The interface has no such method.
        error MethodNotFound (method: string)

        # The interface declares the method, but this service does not offer it.
        error MethodNotImplemented (method: string)

        # A parameter is missing, of the wrong type, not declared, or of a value that makes no sense.
        error InvalidParameter (parameter: string)

        # The caller may not do this.
        error PermissionDenied ()

        # The method must be called with "more".
        error ExpectedMore ()

        """

    /// The reply to `GetInfo`.
    public struct Info: Sendable, Equatable, Codable {
        /// Who makes the service.
        public var vendor: String
        /// Its name.
        public var product: String
        /// Its version.
        public var version: String
        /// Where to read about it.
        public var url: String
        /// Names of its interfaces.
        public var interfaces: [String]

        /// An answer to `GetInfo`.
        public init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
            (self.vendor, self.product, self.version, self.url) = (vendor, product, version, url)
            self.interfaces = interfaces
        }
    }

    /// The parameters of `GetInterfaceDescription`.
    public struct DescriptionQuery: Sendable, Equatable, Codable {
        /// Name of the interface.
        public var interface: String

        /// A question for an interface.
        public init(interface: String) {
            self.interface = interface
        }
    }

    /// The reply to `GetInterfaceDescription`.
    public struct DescriptionText: Sendable, Equatable, Codable {
        /// The text of the interface.
        public var description: String

        /// An answer to `GetInterfaceDescription`.
        public init(description: String) {
            self.description = description
        }
    }
}
