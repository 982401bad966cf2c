import Glibc
import TestSupport
import Testing

@testable import sextant

/// Tests of `sextant replay` with its input files.
@Suite struct ReplayFileTests {
    private static let epoch = "$GPGGA,120000.00,5128.6000,N,00000.1000,W,1,08,1.0,40.0,M,46.0,M,,*4B\r\n"

    /// Runs `sextant replay` on files with these contents in order; nil stands for a missing file.
    private func replay(_ contents: [[UInt8]?]) throws -> (status: Int32, output: [Substring], errors: String) {
        let scratch = try Scratch()
        var paths: [String] = []
        for (index, content) in contents.enumerated() {
            paths.append("\(scratch.path)/\(index).nmea")
            guard let content, let file = fopen(paths[index], "w") else { continue }
            fwrite(content, 1, content.count, file)
            fclose(file)
        }
        let program = try Program(["replay"] + paths)
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        return (
            program.status(), program.output.split(separator: "\n"), program.errors.replacing(scratch.path, with: "")
        )
    }

    @Test
    func `fixes before a missing file are still printed`() throws {
        let outcome = try replay([Array(Self.epoch.utf8), nil])
        #expect(outcome.status == 66 && outcome.output.count == 1)
        #expect(outcome.errors.hasPrefix("sextant: cannot read the capture /1.nmea: no such file"), "\(outcome.errors)")
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B, 8, 0], "zcat"), ([0x28, 0xB5, 0x2F, 0xFD], "zstdcat"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xzcat"),
            ([0x42, 0x5A, 0x68, 0x39], "bzcat"),
        ] as [([UInt8], String)])
    func `a compressed capture is reported with the tool that opens it`(head: [UInt8], tool: String) throws {
        let outcome = try replay([head + Array(repeating: 0, count: 40)])
        #expect(outcome.status == 66 && outcome.output.isEmpty)
        #expect(outcome.errors == "sextant: /0.nmea is compressed; use: \(tool) /0.nmea | sextant replay -\n")
    }

    @Test(arguments: [
        ("", "is empty"), ("# Name: x\n", "contains no NMEA sentence"), ("Dear diary,\n", "contains no NMEA sentence"),
        ("$GPGGA,1*00\r\n$GPGGA,2*00\r\n", "contains no sentence with a valid checksum; 2 have an invalid one"),
        (
            "!AIVDM,1,1,,B,13njCt031t0DA=lN2:jKmad60l1p,0*12\n",
            "contains one sentence, but none with a position, such as GGA or RMC"
        ),
        ("$GPGGA,1,2\n", "contains no sentence with a valid checksum; 1 has none"),
    ])
    func `a capture without fixes is reported with its reason`(text: String, reason: String) throws {
        let outcome = try replay([Array(text.utf8)])
        #expect(outcome.status == 66 && outcome.output.isEmpty)
        #expect(outcome.errors == "sextant: /0.nmea \(reason)\n")
    }

    @Test
    func `a capture with fixes prints no error`() throws {
        let outcome = try replay([Array(Self.epoch.utf8)])
        #expect(outcome.status == 0 && outcome.output.count == 1 && outcome.errors.isEmpty, "\(outcome.errors)")
    }
}
