import SextantAPI

extension Interface {
    /// The text of the interface. It is not cached, because requests are rare.
    package var text: String {
        let bytes =
            switch self {
            case .location: PackageResources.io_sextant_Location_varlink
            case .receiver: PackageResources.io_sextant_Receiver_varlink
            case .manager: PackageResources.io_sextant_Manager_varlink
            case .monitor: PackageResources.io_sextant_Monitor_varlink
            case .session: PackageResources.io_sextant_Session_varlink
            case .permission: PackageResources.io_sextant_Permission_varlink
            case .agent: PackageResources.io_sextant_Agent_varlink
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}
