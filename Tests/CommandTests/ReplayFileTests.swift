import Glibc
import Testing

@testable import sextant

/// `sextant replay` and the files it is given.
@Suite struct ReplayFileTests {
    private static let epoch = "$GPGGA,120000.00,5128.6000,N,00000.1000,W,1,08,1.0,40.0,M,46.0,M,,*4B\r\n"

    /// Runs `sextant replay` over files of this content, one after the other; nil is a file that is not there.
    private func replay(_ contents: [[UInt8]?]) throws -> (status: Int32, output: [Substring], errors: String) {
        let scratch = try Scratch()
        var paths: [String] = []
        for (at, content) in contents.enumerated() {
            paths.append("\(scratch.path)/\(at).nmea")
            guard let content, let file = fopen(paths[at], "w") else { continue }
            fwrite(content, 1, content.count, file)
            fclose(file)
        }
        let program = try Program(["replay"] + paths)
        while !program.drain() { _ = try Wait.readable(program.openPipes, until: nil) }
        return (program.status(), program.output.split(separator: "\n"), program.errors.replacing(scratch.path, with: ""))
    }

    @Test("What was played before a file that cannot be read is printed")
    func theSecondIsMissing() throws {
        let outcome = try replay([Array(Self.epoch.utf8), nil])
        #expect(outcome.status == 66 && outcome.output.count == 1)
        #expect(outcome.errors.hasPrefix("sextant: there is no capture /1.nmea"), "\(outcome.errors)")
    }

    @Test(
        "A compressed capture is not junk without a sentence: what opens it is named",
        arguments: [
            ([0x1F, 0x8B, 8, 0], "zcat"), ([0x28, 0xB5, 0x2F, 0xFD], "zstdcat"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xzcat"),
            ([0x42, 0x5A, 0x68, 0x39], "bzcat"),
        ] as [([UInt8], String)])
    func compressed(head: [UInt8], tool: String) throws {
        let outcome = try replay([head + Array(repeating: 0, count: 40)])
        #expect(outcome.status == 66 && outcome.output.isEmpty)
        #expect(outcome.errors == "sextant: /0.nmea is compressed: \(tool) /0.nmea | sextant replay -\n")
    }

    @Test(
        "A file that gives nothing says why",
        arguments: [
            ("", "is empty"), ("# Name: x\n", "holds no NMEA sentence"), ("Dear diary,\n", "holds no NMEA sentence"),
            ("$GPGGA,1*00\r\n$GPGGA,2*00\r\n", "holds no sentence with a right checksum; 2 have a wrong one"),
            (
                "!AIVDM,1,1,,B,13njCt031t0DA=lN2:jKmad60l1p,0*12\n",
                "holds one sentence, but none that tells of a position, such as GGA or RMC"
            ),
            ("$GPGGA,1,2\n", "holds no sentence with a right checksum; 1 has none"),
        ])
    func nothing(text: String, reason: String) throws {
        let outcome = try replay([Array(text.utf8)])
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.errors == "sextant: /0.nmea \(reason)\n")
    }

    @Test("One that gives something says nothing")
    func something() throws {
        let outcome = try replay([Array(Self.epoch.utf8)])
        #expect(outcome.status == 0 && outcome.output.count == 1 && outcome.errors.isEmpty, "\(outcome.errors)")
    }
}
