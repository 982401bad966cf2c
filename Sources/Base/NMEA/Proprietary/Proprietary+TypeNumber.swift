/// The sentence type.
extension Proprietary {
    /// A unique number of the sentence type, from 1, independent of its content. The address is not
    /// unique: several types share one.
    public var typeNumber: Int {
        switch self {
        case .pubx03: 1
        case .pubx04: 2
        case .pgrme: 3
        case .pgrmf: 4
        case .pgrmm: 5
        case .pgrmz: 6
        case .pmtk001: 7
        case .pmtk010: 8
        case .pmtk011: 9
        case .pmtk705: 10
        case .pair001: 11
        case .pair002: 12
        case .pair010: 13
        case .pair021: 14
        case .pqtmepe: 15
        case .pqtmvel: 16
        case .pqtmpvt: 17
        case .pqtmgps: 18
        case .pqtmverno: 19
        case .psrfepe: 20
        case .psrf150: 21
        case .psti030: 22
        case .psti032: 23
        case .pstmkfcov: 24
        case .pstmver: 25
        case .pstmantenna: 26
        case .pashrpos: 27
        case .ptnlggk: 28
        case .pdtinfo: 29
        case .psti036: 30
        case .pashrAttitude: 31
        case .ptnlavr: 32
        case .psathpr: 33
        case .pqtmtar: 34
        case .pqxfi: 35
        case .pglorunc: 36
        case .pssnhrp: 37
        case .ksxt: 38
        case .uniheadinga: 39
        }
    }
}
