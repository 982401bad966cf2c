import CLibFuzzer

/// `Fuzz TARGET [LIBFUZZER OPTION...] [CORPUS...] [FILE...]`: `Fuzzing/run` knows which options.
@main
enum Main {
    static func main() {
        let target = CommandLine.arguments.dropFirst().first.flatMap(Target.init(rawValue:))
        guard let target else { fatalError("usage: Fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) [OPTION...]") }

        // The rest is for libFuzzer, which takes the first for the program's name.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1

        // A C function cannot hold on to the target, so each has its own.
        let status =
            switch target {
            case .framer: LLVMFuzzerRunDriver(&count, &arguments) { Main.run($0, $1, FramerTarget.run) }
            case .sentences: LLVMFuzzerRunDriver(&count, &arguments) { Main.run($0, $1, SentencesTarget.run) }
            case .epochs: LLVMFuzzerRunDriver(&count, &arguments) { Main.run($0, $1, EpochsTarget.run) }
            case .varlink: LLVMFuzzerRunDriver(&count, &arguments) { Main.run($0, $1, VarlinkTarget.run) }
            }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    /// What can be fuzzed.
    enum Target: String, CaseIterable {
        case framer, sentences, epochs, varlink
    }

    private static func run(_ data: UnsafePointer<UInt8>?, _ size: Int, _ target: (UnsafeRawBufferPointer) -> Void) -> CInt {
        target(UnsafeRawBufferPointer(start: data, count: size))
        return 0
    }
}
