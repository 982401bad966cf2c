/// `org.varlink.service`, the interface of every Varlink service.
public enum ServiceInterface {
    /// The interface name.
    public static let name = "org.varlink.service"

    /// The description that `GetInterfaceDescription` returns.
    public static let text = """
        # The common interface of Varlink services: identity, interface descriptions and standard errors.
        interface org.varlink.service

        # Returns the identity of the service.
        #   vendor       the organization that makes the service
        #   product      the product name
        #   version      the product version
        #   url          the address of the product's documentation
        #   interfaces   the names of the offered interfaces, including this one
        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

        # Returns the description of an interface in the Varlink interface language.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service does not have this interface.
        error InterfaceNotFound (interface: string)

        # The interface does not have this method.
        error MethodNotFound (method: string)

        # The interface declares the method, but this service does not implement it.
        error MethodNotImplemented (method: string)

        # A parameter is missing, has the wrong type, is not declared or has an invalid value.
        error InvalidParameter (parameter: string)

        # The caller does not have permission.
        error PermissionDenied ()

        # The method requires a call with "more".
        error ExpectedMore ()

        """

    /// The reply to `GetInfo`.
    public struct Info: Sendable, Equatable {
        /// The organization that makes the service.
        public var vendor: String
        /// The product name.
        public var product: String
        /// The product version.
        public var version: String
        /// The address of the product's documentation.
        public var url: String
        /// The names of the offered interfaces.
        public var interfaces: [String]
    }
}
