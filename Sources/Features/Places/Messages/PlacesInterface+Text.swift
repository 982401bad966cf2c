import SextantAPI

extension PlacesInterface {
    /// The text of the interface.
    package static var text: String {
        String(decoding: PackageResources.io_sextant_Places_varlink, as: UTF8.self)
    }
}
