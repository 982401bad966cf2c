import Glibc

/// Writes the generated files of the repository.
@main
enum Main {
    static func main() {
        do {
            let folder = CommandLine.arguments.dropFirst().first ?? "."
            let inputs = Inputs(repository: folder)
            let files = try inputs.generate()
            for file in files { try Inputs.write(file, in: folder) }
            for path in inputs.present().subtracting(files.map(\.path)) { unlink("\(folder)/\(path)") }
            print("generate-api: \(files.count) files")
        } catch {
            perror("generate-api: \(error)")
            exit(1)
        }
    }
}

/// The files that the generator reads.
struct Inputs {
    static let interfaces = "Sources/API/SextantAPI/Interfaces"
    static let forms = "Tools/Sources/generate-api/forms.json"
    static let output = "Sources/API/SextantAPI/Generated"
    /// The target that has the texts of the daemon's interfaces.
    static let embedding = "Sources/Engine/Locator"

    private let repository: String

    init(repository: String) { self.repository = repository }

    func generate() throws -> [Generator.File] {
        let names = Inputs.names(in: "\(repository)/\(Inputs.interfaces)").filter { $0.hasSuffix(".varlink") }
        return try Generator.files(
            interfaces: Dictionary(
                uniqueKeysWithValues: names.map {
                    ($0, try Inputs.contents("\(repository)/\(Inputs.interfaces)/\($0)"))
                }),
            forms: Inputs.contents("\(repository)/\(Inputs.forms)"))
    }

    /// Returns the paths of the files that the folders of generated files have.
    func present() -> Set<String> {
        let modules = Inputs.names(in: "\(repository)/Sources/API").map { "Sources/API/\($0)/Generated" }
        let folders = modules + ["\(Inputs.embedding)/Generated", "\(Inputs.embedding)/Interfaces"]
        return Set(
            folders.flatMap { folder in Inputs.names(in: "\(repository)/\(folder)").map { "\(folder)/\($0)" } })
    }

    /// Returns the names of the files in a folder, sorted.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    static func contents(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw GenerationError(description: "cannot read \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    static func write(_ output: Generator.File, in repository: String) throws {
        let path = "\(repository)/\(output.path)"
        let failure = GenerationError(description: "cannot write \(path)")
        if output.isLink {
            guard symlink(output.text, path) == 0 || errno == EEXIST else { throw failure }
            return
        }
        let bytes = Array(output.text.utf8)
        guard let file = fopen(path, "w") else { throw failure }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw failure }
    }
}
