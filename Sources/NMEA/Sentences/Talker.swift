/// The talkers that matter here, as ``Address/talker`` packs them.
public enum Talker {
    /// `GN`: several constellations combined.
    public static let combined: UInt16 = 0x474E
    /// `GP`: GPS, and on old receivers everything.
    public static let gps: UInt16 = 0x4750
    /// `GL`.
    public static let glonass: UInt16 = 0x474C
    /// `GA`.
    public static let galileo: UInt16 = 0x4741
    /// `GB`, BeiDou since 4.11.
    public static let beidou: UInt16 = 0x4742
    /// `BD`, BeiDou before 4.11.
    public static let oldBeidou: UInt16 = 0x4244
    /// `GQ`, QZSS since 4.11.
    public static let qzss: UInt16 = 0x4751
    /// `QZ`, QZSS before 4.11.
    public static let oldQZSS: UInt16 = 0x515A
    /// `GI`.
    public static let navic: UInt16 = 0x4749
    /// `PQ`, Quectel's own for QZSS and BeiDou.
    public static let quectel: UInt16 = 0x5051
}
