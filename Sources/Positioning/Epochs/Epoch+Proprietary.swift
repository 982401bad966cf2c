import NMEA

/// What makers' own sentences add to an epoch.
extension Epoch {
    /// Merges one sentence.
    mutating func merge(_ sentence: Proprietary) {
        switch sentence {
        case .pubx04: zda = zda ?? ZDA(time: sentence.time, date: sentence.date)
        case .pgrme(let value): (errors.pgrme.horizontal, errors.pgrme.vertical) = (value.horizontal, value.vertical)
        case .psrfepe(let value): merge(value)
        case .pqtmepe(let value):
            (errors.pqtmepe.north, errors.pqtmepe.east, errors.pqtmepe.down) = (value.north, value.east, value.down)
        case .pqtmvel(let value):
            (errors.velocity.speed, errors.velocity.course) = (value.speedAccuracy, value.headingAccuracy)
        case .pstmkfcov(let value):
            (errors.covariance.north, errors.covariance.east) = (value.north, value.east)
            errors.covariance.vertical = value.vertical
        case .pqtmgps(let value):
            errors.pqtm.horizontal = value.horizontalAccuracy
            // It says less than `PQTMPVT` beside it.
            if solution == nil { take(sentence) }
        default: take(sentence)
        }
    }

    private mutating func merge(_ value: PSRFEPE) {
        guard value.isValid != false else { return }
        (errors.psrfepe.horizontal, errors.psrfepe.vertical) = (value.horizontal, value.vertical)
        (errors.psrfepe.speed, errors.psrfepe.course) = (value.speed, value.course)
    }

    private mutating func take(_ sentence: Proprietary) {
        guard let stated = Solution(sentence) else { return }
        if solution?.position == nil || stated.position != nil { solution = stated }
        offer(stated.position, sentence.time)
    }
}
