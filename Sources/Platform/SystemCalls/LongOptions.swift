@preconcurrency import CLinux
@preconcurrency import Glibc

/// Reads the options of a service's command line with `getopt_long`: see decision 0013.
package struct LongOptions {
    /// A command line that is not understood.
    package struct Failure: Error, Sendable, Equatable {
        /// The mistake; nil if `getopt_long` has written it.
        package let message: String?
    }

    private let known: [option]

    /// States the options.
    ///
    /// - Parameter options: The name of each option, what ``next()`` returns for it, and whether it
    ///   has a value. `h` has the short form `-h`.
    package init(_ options: [(name: StaticString, code: Character, hasValue: Bool)]) {
        known =
            options.map { known in
                option(
                    name: UnsafeRawPointer(known.name.utf8Start).assumingMemoryBound(to: CChar.self),
                    has_arg: known.hasValue ? required_argument : no_argument, flag: nil,
                    val: CInt(known.code.asciiValue ?? 0))
            } + [option()]
    }

    /// Returns the next option of this process and its value, which is empty if it has none; nil at
    /// the end.
    ///
    /// - Throws: ``Failure`` for an unknown option, a missing value, a value that is not UTF-8
    ///   text, and an argument that is no option.
    package func next() throws(Failure) -> (code: Character, value: String)? {
        let code = getopt_long(CommandLine.argc, CommandLine.unsafeArgv, "h", known, nil)
        guard code != -1 else {
            if optind < CommandLine.argc, let argument = CommandLine.unsafeArgv[Int(optind)] {
                throw Failure(message: "unexpected argument '\(String(cString: argument))'")
            }
            return nil
        }
        // A path with other bytes would name another file.
        guard let value = optarg.map({ String(validatingCString: $0) }) ?? "" else {
            throw Failure(message: "the value of an option is not UTF-8 text")
        }
        guard let number = UInt8(exactly: code), number != UInt8(ascii: "?") else { throw Failure(message: nil) }
        return (Character(Unicode.Scalar(number)), value)
    }
}
