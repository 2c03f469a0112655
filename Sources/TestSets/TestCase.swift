// One case of a test set: a question, and what its answer must be.

package import AirshipCore

/// A question with the answer that a person wrote down before anything was run.
package struct TestCase: Sendable {
    /// Unique in its suite; of the shape that facts ask for.
    package var id: String
    /// What the model is tested for, of the shape of a usage.
    package var task: String
    package var instructions: String
    package var schema: AirshipJSONSchema
    package var context: AirshipAI.Context
    package var input: String
    package var rule: TestRule
    /// As it stands in the file; null where there is none. For content only.
    package var expected: AirshipJSON
}

/// What an answer that has its schema must be besides.
package enum TestRule: Sendable {
    /// All of these fields are equal to what is expected.
    case exact([ExpectedField])
    /// This one is.
    case `class`(ExpectedField)
    /// Texts hold all required facts and none that is forbidden.
    case contains([ExpectedFacts])
    /// Nothing more.
    case schema

    /// As cases name them.
    package static let names = ["exact", "class", "contains", "schema"]
}

/// A field with the value that it must have.
package struct ExpectedField: Sendable {
    package var name: String
    /// Null: the field has to be null or absent.
    package var value: AirshipJSON
    package var type: FieldType
}

/// What a field's value is compared as.
package enum FieldType: String, CaseIterable, Sendable {
    /// As JSON: texts by their bytes, numbers as doubles.
    case json
    /// A number, or a text that is one: 12.5 is "12.50".
    case decimal
    /// A day, or a moment of RFC 3339; a day is any moment that is written with its date.
    case date
}

/// What the text of a field must say.
package struct ExpectedFacts: Sendable {
    package var name: String
    /// Of each, one of the ways to say it.
    package var required: [[String]]
    package var forbidden: [String]
}

/// The numbers that bound a suite, and the practice that it is held against.
package enum TestSetLimits {
    package static let caseCountMax = 100_000
    /// Cases × repetitions: a run keeps about 1,000 bytes of each.
    package static let askingCountMax = 100_000
    /// Of one line of the file.
    package static let lineByteCountMax = 1 << 20
    /// Of a file of cases, and of a recording: both are read as a whole.
    package static let fileByteCountMax = 256 << 20
    /// Questions in a row without an answer, after which a run asks whether anybody gets one.
    package static let unansweredInRowMax = 3
    /// Problems of a file that are told; the rest is counted.
    package static let problemCountMax = 10
    /// How many cases of a task are usual: with fewer an interval says nothing, and more than these
    /// nobody keeps up to date.
    package static let usualCaseCount = 20...50
    /// Digits of a decimal's exponent are not followed further than this.
    static let exponentMax = 400
}
