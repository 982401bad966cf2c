import Glibc

/// A machine simulated by umockdev, with only the devices that the test adds.
///
/// The library is loaded at run time, and only while its preload library replaces the real /sys:
/// see ``UnderTestbed``.
final class Testbed {
    private let library: UnsafeMutableRawPointer
    private let bed: UnsafeMutableRawPointer

    init?() {
        guard let library = dlopen("libumockdev.so.0", RTLD_NOW), let symbol = dlsym(library, "umockdev_testbed_new")
        else { return nil }
        typealias New = @convention(c) () -> UnsafeMutableRawPointer?
        guard let bed = unsafeBitCast(symbol, to: New.self)() else { return nil }
        self.library = library
        self.bed = bed
    }

    /// Adds devices in the description language of umockdev; sends no event.
    func add(_ description: String) -> Bool {
        typealias Add =
            @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Int32
        guard let symbol = dlsym(library, "umockdev_testbed_add_from_string") else { return false }
        return unsafeBitCast(symbol, to: Add.self)(bed, description, nil) != 0
    }

    /// Sends the event that udev would send after `action`.
    func event(_ devicePath: String, _ action: String) {
        typealias Event = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
        guard let symbol = dlsym(library, "umockdev_testbed_uevent") else { return }
        unsafeBitCast(symbol, to: Event.self)(bed, devicePath, action)
    }

    func remove(_ devicePath: String) {
        typealias Remove = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Void
        guard let symbol = dlsym(library, "umockdev_testbed_remove_device") else { return }
        unsafeBitCast(symbol, to: Remove.self)(bed, devicePath)
    }
}

/// Runs the tests that need a ``Testbed`` in their own process, which loads umockdev's preload
/// library first.
enum UnderTestbed {
    /// Whether this is that process.
    static var isHere: Bool { getenv("SEXTANT_UNDER_TESTBED") != nil }

    static var isPossible: Bool { access("/usr/bin/umockdev-wrapper", X_OK) == 0 }

    /// Runs one suite of this test program again.
    ///
    /// - Returns: the exit status; 0 when every test passed.
    static func run(suite: String) -> Int32 {
        var process = pid_t()
        let words = [
            "/usr/bin/umockdev-wrapper", "env", "SEXTANT_UNDER_TESTBED=1", CommandLine.arguments.first ?? "",
            "--testing-library",
            "swift-testing", "--filter", suite,
        ]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        guard posix_spawn(&process, words[0], nil, nil, arguments, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return status
    }
}
