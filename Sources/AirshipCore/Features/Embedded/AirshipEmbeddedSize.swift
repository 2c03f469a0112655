// The space that percentages of an embedded view refer to, where the layout system cannot tell.

public import Foundation

/// The greatest size of an embedded view that sits where it could grow without bounds.
public struct AirshipEmbeddedSize: Hashable, Sendable {
    /// Nil where the layout system knows it.
    public var parentWidth: CGFloat?
    public var parentHeight: CGFloat?

    public init(parentWidth: CGFloat? = nil, parentHeight: CGFloat? = nil) {
        self.parentWidth = parentWidth
        self.parentHeight = parentHeight
    }

    public init(parentBounds: CGSize) {
        self.init(parentWidth: parentBounds.width, parentHeight: parentBounds.height)
    }
}

/// One side of an embedded view as its author gave it.
///
/// For what draws layouts behind `AirshipEmbeddedContent.draw`: the lengths are in the layout, so
/// `AirshipEmbeddedView` passes on the size that percentages refer to and sizes nothing itself.
package enum EmbeddedLength: Hashable, Sendable {
    case points(Double)
    /// Of the parent's side: 50 is half.
    case percent(Double)
    /// As much as the content needs.
    case automatic

    /// The length in points; nil leaves it to the layout system.
    ///
    /// - Parameters:
    ///   - parent: The parent's side as the app gave it.
    ///   - proposed: The parent's side as the layout system proposes it; unbounded counts as
    ///     unknown.
    package func points(parent: CGFloat?, proposed: CGFloat?) -> CGFloat? {
        switch self {
        case .automatic: return nil
        case .points(let points): return max(0, CGFloat(points))
        case .percent(let percent):
            guard let side = [parent, proposed].compactMap(\.self).first(where: \.isFinite) else {
                return nil
            }
            return max(0, side * CGFloat(percent) / 100)
        }
    }
}
