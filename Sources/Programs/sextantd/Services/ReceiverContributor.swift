import Locator
import SextantAPI

/// A service that knows of receivers what the core and the ports do not.
protocol ReceiverContributor: AnyObject {
    /// Adds what the service knows to the message of a receiver.
    func addDetails(to message: inout Receiver, of id: ReceiverID)
}
