import SyncLayout
import SyncModel

/// The places of a section's items. Along the scroll axis they are measured from where the items
/// begin, across it from the content's edge.
struct PlainItems {
    var frames: [ListRect] = []
    /// How far the items reach along the scroll axis.
    var length = 0.0
}
