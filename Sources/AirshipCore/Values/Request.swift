// What a model is asked. A value: a model trims its own copy, the record keeps the untrimmed one.

extension AirshipAI {
    /// Instructions, the shape of the answer, and the context that may be dropped to fit.
    public struct Request: Sendable {
        /// What the model is told to be and do; never holds context.
        public let instructions: String

        /// What the answer must conform to.
        public let schema: AirshipJSONSchema

        /// What was offered, in presentation order; shrinks only by dropping.
        public private(set) var context: Context

        private let render: @Sendable (Context) -> String

        package init(
            instructions: String, schema: AirshipJSONSchema, context: Context,
            render: @escaping @Sendable (Context) -> String
        ) {
            self.instructions = instructions
            self.schema = schema
            self.context = context
            self.render = render
        }

        /// The prompt for the context as it is now; made anew at every call.
        public func prompt() -> String {
            render(context)
        }

        /// Gives up the least important item: the highest priority number, the earliest of equals.
        ///
        /// - Returns: The item given up; nil when there is nothing left to give up.
        @discardableResult
        public mutating func dropLowestPriorityContextItem() -> Context.Item? {
            context.dropLeastImportant()
        }
    }
}
