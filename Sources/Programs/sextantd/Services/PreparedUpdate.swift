import Locator
import SextantAPI
import Varlink

/// The encoded form of the update that is expected next, prepared while the receiver is still
/// sending its burst.
///
/// An epoch contains all data for clients long before its last sentence, which is a GSV or repeats
/// the time. At 115,200 baud, a burst takes a tenth of a second to arrive. Preparation removes the
/// encoding from the latency of an update. If another update is published instead, the encoder is
/// already in the processor's caches.
final class PreparedUpdate {
    private var update: Update?
    private var prepared = EncodedObject.empty

    /// Encodes an expected update.
    func prepare(_ expected: Update) {
        guard expected != update else { return }
        prepared = UpdateMessage(expected).encoded
        update = expected
    }

    /// Returns the encoded form of an update: the prepared one if it matches, otherwise a new one.
    func encoded(_ present: Update) -> EncodedObject {
        present == update ? prepared : UpdateMessage(present).encoded
    }
}
