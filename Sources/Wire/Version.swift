/// The version of the programs, which the daemon tells its clients and both tell people.
public enum SextantVersion {
    /// By semantic versioning 2.0.
    public static let current = "0.1.0"
}
