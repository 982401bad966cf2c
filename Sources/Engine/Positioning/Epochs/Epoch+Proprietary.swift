import NMEA

/// Merges proprietary sentences into an epoch.
extension Epoch {
    /// Merges one sentence.
    mutating func merge(_ sentence: Proprietary) {
        switch sentence {
        case .pubx04: zda = zda ?? ZDA(time: sentence.time, date: sentence.date)
        case .pgrme(let value): (errors.pgrme.horizontal, errors.pgrme.vertical) = (value.horizontal, value.vertical)
        case .psrfepe(let value): merge(value)
        case .pqxfi(let value):
            (errors.pqxfi.horizontal, errors.pqxfi.vertical) = (value.horizontalError, value.verticalError)
            errors.pqxfi.speed = value.speedError
        case .pglorunc(let value): merge(value)
        case .pqtmepe(let value):
            errors.pqtmepe.north = value.north
            errors.pqtmepe.east = value.east
            errors.pqtmepe.down = value.down
        case .pqtmvel(let value):
            (errors.velocity.speed, errors.velocity.course) = (value.speedAccuracy, value.headingAccuracy)
        case .pstmkfcov(let value):
            (errors.covariance.north, errors.covariance.east) = (value.north, value.east)
            errors.covariance.vertical = value.vertical
        case .pqtmgps(let value):
            errors.pqtm.horizontal = value.horizontalAccuracy
            // `PQTMGPS` has less detail than a `PQTMPVT` of the same epoch.
            if solution == nil { mergeSolution(sentence) }
        default: mergeSolution(sentence)
        }
    }

    private mutating func merge(_ value: PSRFEPE) {
        guard value.isValid != false else { return }
        (errors.psrfepe.horizontal, errors.psrfepe.vertical) = (value.horizontalError, value.verticalError)
        (errors.psrfepe.speed, errors.psrfepe.course) = (value.speedError, value.courseError)
    }

    private mutating func merge(_ value: PGLORUNC) {
        (errors.pglor.horizontal, errors.pglor.vertical) = (value.horizontalError, value.verticalError)
        (errors.pglor.semiMajor, errors.pglor.semiMinor) = (value.semiMajorError, value.semiMinorError)
        (errors.pglor.speed, errors.pglor.course) = (value.speedError, value.courseError)
    }

    private mutating func mergeSolution(_ sentence: Proprietary) {
        guard let reported = ProprietarySolution(sentence) else { return }
        if solution?.position == nil || reported.position != nil { solution = reported }
        mergePosition(reported.position, at: sentence.time)
    }
}
