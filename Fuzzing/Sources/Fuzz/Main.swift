import CLibFuzzer

/// `Fuzz TARGET [LIBFUZZER OPTION...] [CORPUS...] [FILE...]`: see `Fuzzing/run` for the options.
@main
enum Main {
    static func main() {
        let target = CommandLine.arguments.dropFirst().first.flatMap(Target.init(rawValue:))
        guard let target else {
            fatalError("usage: Fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) [OPTION...]")
        }

        // The other arguments are for libFuzzer; the first one is the program's name.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1

        // A C function cannot capture the target, so each target has its own.
        let status =
            switch target {
            case .framer: LLVMFuzzerRunDriver(&count, &arguments) { Main.run(FramerTarget.run, data: $0, size: $1) }
            case .sentences:
                LLVMFuzzerRunDriver(&count, &arguments) { Main.run(SentencesTarget.run, data: $0, size: $1) }
            case .epochs: LLVMFuzzerRunDriver(&count, &arguments) { Main.run(EpochsTarget.run, data: $0, size: $1) }
            case .requests:
                LLVMFuzzerRunDriver(&count, &arguments) { Main.run(RequestsTarget.run, data: $0, size: $1) }
            case .caster: LLVMFuzzerRunDriver(&count, &arguments) { Main.run(CasterTarget.run, data: $0, size: $1) }
            case .inlet: LLVMFuzzerRunDriver(&count, &arguments) { Main.run(InletTarget.run, data: $0, size: $1) }
            case .query:
                LLVMFuzzerRunDriver(&count, &arguments) { Main.run(PlaceQueryTarget.run, data: $0, size: $1) }
            case .places:
                LLVMFuzzerRunDriver(&count, &arguments) { Main.run(PlaceFilesTarget.run, data: $0, size: $1) }
            case .recognizer:
                LLVMFuzzerRunDriver(&count, &arguments) { Main.run(RecognizerTarget.run, data: $0, size: $1) }
            case .beacons: LLVMFuzzerRunDriver(&count, &arguments) { Main.run(BeaconsTarget.run, data: $0, size: $1) }
            case .varlink: LLVMFuzzerRunDriver(&count, &arguments) { Main.run(VarlinkTarget.run, data: $0, size: $1) }
            }
        guard status == 0 else { fatalError("libFuzzer failed with status \(status)") }
    }

    /// The targets of the fuzzer.
    enum Target: String, CaseIterable {
        case framer, sentences, epochs, requests, varlink, caster, inlet, query, places, recognizer, beacons
    }

    private static func run(
        _ target: (UnsafeRawBufferPointer) -> Void, data: UnsafePointer<UInt8>?, size: Int
    ) -> CInt {
        target(UnsafeRawBufferPointer(start: data, count: size))
        return 0
    }
}
