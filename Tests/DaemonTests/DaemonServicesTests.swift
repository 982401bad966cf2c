import Locator
import Logging
import SextantAPI
import TestSupport
import Testing
import Varlink

@testable import sextantd

/// Tests of the list of services.
@Suite struct DaemonServicesTests {
    @Test func `exactly one service answers each method of the interfaces`() throws {
        let scratch = try Scratch()
        var settings = Settings()
        settings.state = scratch.path
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let services = DaemonServices(try ServiceContext(settings, log: log))
        let declared = try Interface.allCases.flatMap { interface in
            try InterfaceDescription(parsing: interface.text).methodNames.map { "\(interface.rawValue).\($0)" }
        }
        #expect(services.all.flatMap(\.methods).sorted() == declared.sorted())
    }
}
