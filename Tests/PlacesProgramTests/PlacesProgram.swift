import DaemonSupport
import Glibc
import PlaceImport
import PlaceIndex
import TestSupport
import Testing
import Varlink

/// The real `sextant-places` with a gazetteer of a few places.
final class PlacesProgram {
    let scratch: Scratch
    let process: ChildProcess

    /// A gazetteer in the format of GeoNames.
    static let gazetteer =
        line(1, "Nijmegen", 51.8425, 5.8528, "NL", 158_732) + line(2, "Arnhem", 51.98, 5.911, "NL", 141_674)
        + line(3, "Suva", -18.1416, 178.4415, "FJ", 77_366)

    static func line(
        _ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, _ country: String, _ population: Int
    ) -> String {
        [
            "\(id)", name, name, "", "\(latitude)", "\(longitude)", "P", "PPL", country, "", "", "", "", "",
            "\(population)", "", "", "Europe/Amsterdam", "2026-01-01",
        ].joined(separator: "\t") + "\n"
    }

    var socket: String { scratch("socket") }
    var folder: PlacesFolder { PlacesFolder(named: scratch("data")) }

    /// Starts the program and waits for its socket.
    init(_ text: String? = PlacesProgram.gazetteer) throws {
        scratch = try Scratch()
        if let text { try PlacesProgram.importing(text, scratch) }
        process = try ChildProcess(
            [try Programs.path(of: "sextant-places"), "--socket", scratch("socket"), "--data", scratch("data")],
            record: scratch("log"))
        try waitUntil("the socket; \(process.output)") {
            guard process.isRunning else { throw TestFailure("the program has ended: \(process.output)") }
            return (try? Client.connect(path: socket)) != nil
        }
    }

    /// Replaces the data.
    func replace(_ text: String) throws { try PlacesProgram.importing(text, scratch) }

    static func importing(_ text: String, _ scratch: Scratch) throws {
        var places = PlaceImport(into: PlacesFolder(named: scratch("data")))
        try places.run([try scratch.write(text, to: "places.txt")])
    }

    func client() throws -> Client { try Client.connect(path: socket) }

    /// The name of the error of a call.
    func error<Parameters, Reply>(_ method: Method<Parameters, Reply>, _ parameters: Parameters) throws -> String? {
        do {
            _ = try client().call(method, with: parameters)
            return nil
        } catch {
            guard case .failed(_, let reply) = error as? ClientError else { throw error }
            return reply.name
        }
    }
}
