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

        /// What the evaluator's deadline leaves, at each call; nil outside an evaluation. A model
        /// that waits or asks again within one attempt does so within this.
        package var remainingBudget: (@Sendable () -> Duration)?

        /// Asked before each call of a model but the first, by a model that calls another one several
        /// times within one attempt; nil outside an evaluation. Counts the call, and throws where
        /// none may begin any more.
        package var beginFurtherCall: (@Sendable () throws -> Void)?

        /// What of the prompt may be asked about in parts; nil where all of it has to be in view.
        package var passage: Passage?

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

        /// A text that the prompt is about, apart from what stands around it.
        package struct Passage: Sendable {
            package let text: String
            private let render: @Sendable (String, Context) -> String

            /// - Parameter render: The prompt about another text in this one's place.
            package init(
                text: String, render: @escaping @Sendable (String, Context) -> String
            ) {
                self.text = text
                self.render = render
            }

            fileprivate func replaced(by text: String) -> Self { Self(text: text, render: render) }
            fileprivate func prompt(_ context: Context) -> String { render(text, context) }
        }

        /// The same question about another text in the passage's place; this one where it has none.
        package func about(_ text: String) -> Self {
            guard let passage = passage?.replaced(by: text) else { return self }
            var request = Self(
                instructions: instructions, schema: schema, context: context,
                render: { passage.prompt($0) })
            request.remainingBudget = remainingBudget
            request.beginFurtherCall = beginFurtherCall
            request.passage = passage
            return request
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

extension AirshipAI.Request {
    /// Gives up as few items as it takes to fit, in the order of
    /// ``dropLowestPriorityContextItem()``.
    ///
    /// - Parameter fits: Whatever fits must still fit with an item less. What it throws leaves the
    ///   request as it was.
    /// - Returns: False when it does not fit without any context; then none is left.
    /// - Complexity: O(log items) calls of `fits`, and O(items) copying for each.
    package mutating func dropContext<Failure: Error>(
        until fits: (Self) async throws(Failure) -> Bool
    ) async throws(Failure) -> Bool {
        if try await fits(self) { return true }
        let order = context.dropOrder
        var best = self
        best.context = .empty
        let fitsAtAll = order.isEmpty ? false : try await fits(best)
        guard fitsAtAll else {
            self = best
            return false
        }
        var (tooFew, enough) = (0, order.count)
        while enough - tooFew > 1 {
            let middle = tooFew + (enough - tooFew) / 2
            var trial = self
            trial.context = context.without(order.prefix(middle))
            if try await fits(trial) {
                (enough, best) = (middle, trial)
            } else {
                tooFew = middle
            }
        }
        self = best
        return true
    }
}
