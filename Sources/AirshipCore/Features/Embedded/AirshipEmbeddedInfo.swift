// One pending instance of embedded content, as apps, selections and providers see it.

/// An instance of embedded content that is ready to be displayed.
public struct AirshipEmbeddedInfo: Hashable, Sendable {
    /// Made anew at run time for every instance.
    public let instanceID: String

    /// The place that it is meant for; several instances can be pending for one.
    public let embeddedID: String

    /// What the author attached.
    public let extras: AirshipJSON?

    /// Lower is more important.
    public let priority: Int

    /// The author's description for a model that ranks it.
    public let contentDescription: String?

    /// The author's context for a model; pooled over all candidates.
    public let additionalContext: [AirshipAI.Context.Item]

    public init(
        instanceID: String, embeddedID: String, extras: AirshipJSON? = nil, priority: Int = 0,
        contentDescription: String? = nil, additionalContext: [AirshipAI.Context.Item] = []
    ) {
        self.instanceID = instanceID
        self.embeddedID = embeddedID
        self.extras = extras
        self.priority = priority
        self.contentDescription = contentDescription
        self.additionalContext = additionalContext
    }

    /// Whether there is anything that a model could judge it by.
    var isDescribable: Bool {
        !(contentDescription ?? "").isEmpty || !(extras ?? .null).isBlank
    }
}
