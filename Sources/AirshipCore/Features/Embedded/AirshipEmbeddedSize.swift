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

/// For what draws layouts behind `AirshipEmbeddedContent.draw`: there the lengths are known, so an
/// `AirshipEmbeddedView` passes on the size that percentages refer to and sizes nothing itself.
extension AirshipEmbeddedSize {
    /// So many percent of the parent's width, in points; nil leaves it to the layout system.
    ///
    /// - Parameter proposed: The parent's width as the layout system proposes it, for where the app
    ///   gave none; unbounded counts as unknown.
    public func width(percent: Double, proposed: CGFloat? = nil) -> CGFloat? {
        Self.points(percent, of: [parentWidth, proposed])
    }

    /// The same for the height.
    public func height(percent: Double, proposed: CGFloat? = nil) -> CGFloat? {
        Self.points(percent, of: [parentHeight, proposed])
    }

    private static func points(_ percent: Double, of sides: [CGFloat?]) -> CGFloat? {
        guard let side = sides.compactMap(\.self).first(where: \.isFinite) else { return nil }
        return max(0, side * CGFloat(percent) / 100)
    }
}
