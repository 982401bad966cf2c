import Chronology
import SQLite

/// The limits of what the server gets, which may have changed since records were added.
extension FleetOutbox {
    private static let pageLength: Int64 = 1000

    /// Deletes the records on disk that the server may not get any more. If locations are reduced
    /// since this start, these are all.
    ///
    /// - Parameter minute: Returns the minute of the day by local time.
    package func apply(_ filter: ReportFilter, minute: (UTCTime) -> Int) throws(StoreError) {
        let wasReduced = try settings.value(.isReduced) == 1
        if filter.isReduced {
            if !wasReduced { try removeAll { _ in true } }
        } else if filter.hasQuiet, !wasReduced {
            try removeAll { !filter.isReported($0, minute: minute) }
        }
        if filter.isReduced != wasReduced { try settings.set(.isReduced, filter.isReduced ? 1 : 0) }
    }

    private func removeAll(where isRemoved: (FleetRecord) -> Bool) throws(StoreError) {
        var last: Int64 = 0
        while true {
            let (page, end) = try records.records(after: last, limit: FleetOutbox.pageLength)
            guard let end else { return }
            last = end
            try remove(page.filter(isRemoved))
        }
    }
}
