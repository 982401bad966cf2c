import ArgumentParser
import Varlink
import Wire

/// `sextant fence export`: fences as a file.
struct FenceExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the fences of a monitor as GeoJSON, such as import takes.")

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard options.monitor != nil else { throw ValidationError("say with --monitor which; those there are: sextant fence list") }
    }

    func run() throws {
        guard let monitor = options.monitor else { return }
        let client = try options.daemon.connect()
        var features: [JSONValue] = []
        var after: String?
        repeat {
            let page = PageParameters(name: monitor, after: after, program: options.owner)
            let reply = try FenceOptions.call(client, DaemonMethod.exportConditions, page, as: ExportReply.self)
            features += reply.geojson["features"]?.array ?? []
            after = reply.next
        } while after != nil
        // A feature a line, so that two exports can be compared.
        var lines = ["{\"type\":\"FeatureCollection\",\"features\":["]
        for (at, feature) in features.enumerated() {
            lines.append(String(decoding: feature.bytes, as: UTF8.self) + (at + 1 < features.count ? "," : ""))
        }
        try StandardOutput.write(lines: lines + ["]}"])
    }
}
