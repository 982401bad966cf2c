/// The GNSS talkers, packed like ``Address/talker``.
public enum Talker {
    /// `GN`: several constellations combined.
    public static let combined: UInt16 = 0x474E
    /// `GP`: GPS, or all constellations on old receivers.
    public static let gps: UInt16 = 0x4750
    /// `GL`: GLONASS.
    public static let glonass: UInt16 = 0x474C
    /// `GA`: Galileo.
    public static let galileo: UInt16 = 0x4741
    /// `GB`: BeiDou since 4.11.
    public static let beidou: UInt16 = 0x4742
    /// `BD`: BeiDou before 4.11.
    public static let legacyBeidou: UInt16 = 0x4244
    /// `GQ`: QZSS since 4.11.
    public static let qzss: UInt16 = 0x4751
    /// `QZ`: QZSS before 4.11.
    public static let legacyQZSS: UInt16 = 0x515A
    /// `GI`: NavIC.
    public static let navic: UInt16 = 0x4749
    /// `PQ`: QZSS and BeiDou on Quectel receivers.
    public static let quectel: UInt16 = 0x5051
}
