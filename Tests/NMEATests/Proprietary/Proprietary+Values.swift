import NMEA

/// The value of each kind of sentence; nil for another kind.
extension Proprietary {
    var pubx03: PUBX03? { if case .pubx03(let value) = self { value } else { nil } }
    var pubx04: PUBX04? { if case .pubx04(let value) = self { value } else { nil } }
    var pgrme: PGRME? { if case .pgrme(let value) = self { value } else { nil } }
    var pgrmf: PGRMF? { if case .pgrmf(let value) = self { value } else { nil } }
    var pgrmm: PGRMM? { if case .pgrmm(let value) = self { value } else { nil } }
    var pgrmz: PGRMZ? { if case .pgrmz(let value) = self { value } else { nil } }
    var pmtk001: PMTK001? { if case .pmtk001(let value) = self { value } else { nil } }
    var pmtk010: PMTK010? { if case .pmtk010(let value) = self { value } else { nil } }
    var pmtk011: PMTK011? { if case .pmtk011(let value) = self { value } else { nil } }
    var pmtk705: PMTK705? { if case .pmtk705(let value) = self { value } else { nil } }
    var pair001: PAIR001? { if case .pair001(let value) = self { value } else { nil } }
    var pair010: PAIR010? { if case .pair010(let value) = self { value } else { nil } }
    var pair021: PAIR021? { if case .pair021(let value) = self { value } else { nil } }
    var pqtmepe: PQTMEPE? { if case .pqtmepe(let value) = self { value } else { nil } }
    var pqtmvel: PQTMVEL? { if case .pqtmvel(let value) = self { value } else { nil } }
    var pqtmpvt: PQTMPVT? { if case .pqtmpvt(let value) = self { value } else { nil } }
    var pqtmgps: PQTMGPS? { if case .pqtmgps(let value) = self { value } else { nil } }
    var pqtmverno: PQTMVERNO? { if case .pqtmverno(let value) = self { value } else { nil } }
    var psrfepe: PSRFEPE? { if case .psrfepe(let value) = self { value } else { nil } }
    var psrf150: PSRF150? { if case .psrf150(let value) = self { value } else { nil } }
    var psti030: PSTI030? { if case .psti030(let value) = self { value } else { nil } }
    var psti032: PSTI032? { if case .psti032(let value) = self { value } else { nil } }
    var pstmkfcov: PSTMKFCOV? { if case .pstmkfcov(let value) = self { value } else { nil } }
    var pstmver: PSTMVER? { if case .pstmver(let value) = self { value } else { nil } }
    var pstmantenna: PSTMANTENNASTATUS? { if case .pstmantenna(let value) = self { value } else { nil } }
    var pashrpos: PASHRPOS? { if case .pashrpos(let value) = self { value } else { nil } }
    var ptnlggk: PTNLGGK? { if case .ptnlggk(let value) = self { value } else { nil } }
    var pdtinfo: PDTINFO? { if case .pdtinfo(let value) = self { value } else { nil } }
    var psti036: PSTI036? { if case .psti036(let value) = self { value } else { nil } }
    var pashrAttitude: PASHRAttitude? { if case .pashrAttitude(let value) = self { value } else { nil } }
    var ptnlavr: PTNLAVR? { if case .ptnlavr(let value) = self { value } else { nil } }
    var psathpr: PSATHPR? { if case .psathpr(let value) = self { value } else { nil } }
    var pqxfi: PQXFI? { if case .pqxfi(let value) = self { value } else { nil } }
    var pglorunc: PGLORUNC? { if case .pglorunc(let value) = self { value } else { nil } }
    var pssnhrp: PSSNHRP? { if case .pssnhrp(let value) = self { value } else { nil } }
    var ksxt: KSXT? { if case .ksxt(let value) = self { value } else { nil } }
    var uniheadinga: UNIHEADINGA? { if case .uniheadinga(let value) = self { value } else { nil } }
    var pqtmtar: PQTMTAR? { if case .pqtmtar(let value) = self { value } else { nil } }
}
