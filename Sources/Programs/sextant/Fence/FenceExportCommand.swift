import ArgumentParser
import SextantAPI
import Varlink

/// `sextant fence export`: prints fences as GeoJSON.
struct FenceExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the fences of a monitor as GeoJSON, in the format of import.",
        discussion: "Requires --monitor.")

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard options.monitor != nil else {
            throw ValidationError("name the monitor with --monitor; list monitors with: sextant fence list")
        }
    }

    func run() throws {
        guard let monitor = options.monitor else { return }
        let client = try FenceClient(options)
        var features: [JSONValue] = []
        var after: String?
        repeat {
            let page = PageParameters(name: monitor, after: after, program: client.owner)
            let reply = try client.call(MonitorMethods.exportConditions, with: page)
            features += reply.geojson["features"]?.array ?? []
            after = reply.next
        } while after != nil
        // One feature per line, so that two exports can be compared.
        var text = Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
        for (index, feature) in features.enumerated() {
            text += feature.bytes + Array((index + 1 < features.count ? ",\n" : "\n").utf8)
        }
        try StandardOutput.write(json: text + Array("]}\n".utf8))
    }
}
