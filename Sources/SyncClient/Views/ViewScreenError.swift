package import SyncModel

/// Why an update does not fit what a view shows.
package enum ViewScreenError: Error, Equatable, Sendable {
    /// It is not the next one.
    case wrongNumber(current: UInt64, UInt64)
    /// It names an element that is not there.
    case unknownKey(UInt32)
    /// It names an element twice, or an appearing element is there already.
    case repeatedKey(UInt32)
    /// An element shows an item or a section whose content was not sent.
    case unknownThing(Identifier)
    /// It has a content twice.
    case repeatedThing(Identifier)
}
