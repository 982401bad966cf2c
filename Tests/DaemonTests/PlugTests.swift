import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Plugs {
        @Test func `an unplugged receiver is reported at once and recovers when replugged`() throws {
            try TestDaemon.runWithPort { daemon, port in
                var drive = Drive(period: 1000)
                let subscribers = [try daemon.subscribe(), try daemon.subscribe("default")]
                for round in 0..<4 {
                    let back = try seconds {
                        try waitUntil("the port being opened") { port.isOpen }
                        try daemon.waitForReceiver("detectingBaudRate")
                        try port.send(drive.next(6))
                        for subscriber in subscribers { try subscriber.untilLocation() }
                    }
                    #expect(back < 6, "round \(round): \(back) s until there is a position again")
                    let lossDelay = try seconds {
                        port.unplug()
                        for subscriber in subscribers {
                            let update = try subscriber.until(cause: "receiverLost")
                            #expect(update.detail.contains(port.link))
                        }
                    }
                    #expect(lossDelay < 1, "round \(round): \(lossDelay) s until the loss is published")
                    #expect(try daemon.receivers().first?["state"] == "absent")
                    try port.plug()
                }
                try waitUntil("the port being opened") { port.isOpen }
                // The log reports each return as it does each loss.
                #expect(daemon.logged("\(port.link) was lost") == 4, "\(daemon.log)")
                #expect(daemon.logged("\(port.link) is connected again") == 4, "\(daemon.log)")
            }
        }
    }
}
