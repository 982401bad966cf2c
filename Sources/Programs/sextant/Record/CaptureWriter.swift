import Chronology
import Glibc
import SystemCalls

/// Writes a capture. The file is named `FILE.part` while it grows and gets its own name when it is
/// complete.
final class CaptureWriter {
    let path: String
    private let partialFile: FileDescriptor
    private(set) var bytes = 0
    private var partialPath: String { path + ".part" }

    /// Checks that a file may be written.
    ///
    /// - Throws: An error if the file exists and must not be replaced.
    static func check(_ path: String, replaces: Bool) throws(CommandError) {
        guard replaces || access(path, F_OK) != 0 else {
            throw CommandError("\(path) exists; replace it with --force", exitStatus: .noInput)
        }
    }

    /// Starts a capture.
    ///
    /// - Throws: An error if the file exists and must not be replaced.
    init(_ path: String, replaces: Bool) throws(CommandError) {
        try CaptureWriter.check(path, replaces: replaces)
        partialFile = try CaptureWriter.create(path + ".part")
        self.path = path
    }

    /// Appends received bytes.
    func append(_ new: [UInt8]) throws(CommandError) {
        try CaptureWriter.write(new, to: partialFile.number, path: partialPath)
        bytes += new.count
    }

    /// Writes the header, which is known only at the end, before the bytes and gives the file its
    /// name. After an error the received bytes remain in the partial file, which the error names.
    func finish(header: String) throws(CommandError) {
        let completePath = path + ".whole.part"
        do throws(CommandError) {
            try writeComplete(header: header, to: completePath)
        } catch {
            unlink(completePath)
            throw CommandError(
                "\(error.description); the received data is kept in \(partialPath)", exitStatus: error.exitStatus)
        }
        unlink(partialPath)
    }

    private func writeComplete(header: String, to completePath: String) throws(CommandError) {
        let completeFile = try CaptureWriter.create(completePath)
        try CaptureWriter.write(Array(header.utf8), to: completeFile.number, path: completePath)
        guard lseek(partialFile.number, 0, SEEK_SET) == 0 else {
            throw CommandError.system("cannot read \(partialPath)", code: errno)
        }
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = uninterrupted { read(partialFile.number, &part, part.count) }
            guard count >= 0 else { throw CommandError.system("cannot read \(partialPath)", code: errno) }
            if count == 0 { break }
            try CaptureWriter.write(Array(part.prefix(count)), to: completeFile.number, path: completePath)
        }
        guard uninterrupted({ fsync(completeFile.number) }) == 0, rename(completePath, path) == 0 else {
            throw CommandError.system("cannot rename the recording to \(path)", code: errno)
        }
    }

    /// Deletes the partial file.
    func discard() {
        unlink(partialPath)
    }

    private static func create(_ path: String) throws(CommandError) -> FileDescriptor {
        let number = uninterrupted { open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        guard number >= 0 else {
            let code = errno
            let error = CommandError.system("cannot write \(path)", code: code)
            let advice = code == ENOENT ? "; create its folder first" : ""
            throw CommandError(error.description + advice, exitStatus: error.exitStatus)
        }
        return FileDescriptor(owning: number)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                uninterrupted { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
            }
            guard count > 0 else { throw CommandError.system("cannot write \(path)", code: errno) }
            rest = rest.dropFirst(count)
        }
    }
}

/// The header lines of a capture that describe its origin, in the format that `Captures` reads.
struct RecordHeader: Equatable {
    /// The name of the recording.
    var title: String
    /// The texts that the receiver sent about itself, newest last.
    var receiverTexts: [String] = []
    /// The product name of the port.
    var product: String?
    /// The host's UTC at the start of the recording.
    var hostDate: UTCTime
    var receiverDate: UTCTime?
    /// A position of the recording in degrees.
    var place: (latitude: Double, longitude: Double)?
    /// Whether the header gives the place unrounded; else rounded to a whole degree.
    var isExact = false
    /// The baud rate in bits per second; nil for a port without baud rate.
    var baud: Int?

    /// The earliest plausible host time: this program's release date. Before it the host has no
    /// valid clock, and the receiver's date is used. Otherwise the host's date is used, because the
    /// receiver's GPS week may have rolled over.
    private static let earliestPlausibleHostDate = UTCTime(rfc3339: SextantVersion.releaseDate)
    /// The maximum number of receiver texts in the header.
    private static let maxTexts = 6

    /// The header, including line ends.
    var text: String {
        let hasClock = RecordHeader.earliestPlausibleHostDate.map { hostDate >= $0 } ?? true
        let date = hasClock ? hostDate : receiverDate ?? hostDate
        let entries = [
            ("Name", title), ("Chipset", chipset), ("Date", date.description), ("Location", location),
            ("Baud", baud.map(String.init) ?? "none"), ("Recorded-with", "sextant \(SextantVersion.current)"),
        ]
        return entries.map { "# \($0): \(TerminalText.sanitized($1))\n" }.joined()
    }

    /// Returns a file name such as "ttyACM0-20261121T072202Z.nmea".
    static func fileName(device: String, at time: UTCTime) -> String {
        let stamp = time.description.prefix(19).filter { $0 != "-" && $0 != ":" }
        return "\(device)-\(stamp)Z.nmea"
    }

    private var chipset: String {
        let reported = receiverTexts.suffix(RecordHeader.maxTexts).joined(separator: "; ")
        return reported.isEmpty ? product ?? "unknown" : reported
    }

    private var location: String {
        guard let place else { return "unknown" }
        let decimals = isExact ? 6 : 0
        return
            "\(DecimalText.text(place.latitude, decimals: decimals)), "
            + "\(DecimalText.text(place.longitude, decimals: decimals))"
            + (isExact ? "" : " (rounded to a degree)")
    }

    static func == (a: RecordHeader, b: RecordHeader) -> Bool { a.text == b.text }
}
