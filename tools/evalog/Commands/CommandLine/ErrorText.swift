// The words for every error of the libraries: what happened, where, what to try. Made here only.

import EvalogFacts
import EvalogImporters
import EvalogLog
import EvalogMetrics
import EvalogRecording
import EvalogText
import TestSets
import VendorSink

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum ErrorText {
    static func of(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: error
        case let error as LogError: of(error)
        case let error as MetricsError: of(error)
        case let error as TestSuiteError: CommandFailure(error.words)
        default:
            // Never interpolate an unknown error: it may hold text of the log.
            CommandFailure("something unforeseen failed (\(type(of: error)))")
        }
    }

    private static func of(_ error: LogError) -> CommandFailure {
        switch error {
        case .disk(let disk): of(disk)
        case .networkFileSystem(let path):
            CommandFailure(
                "\(path) lies on a network file system, where locks do not show who writes",
                hint: "run it on the machine that holds the disk")
        case .closed: CommandFailure("the log was closed meanwhile")
        case .unsteady(let path):
            CommandFailure(
                "files of \(path) kept vanishing while they were read", hint: "try again")
        case .position(let line):
            CommandFailure(
                "the position file is damaged in line \(line)",
                hint: "delete it to start from the beginning")
        }
    }

    private static func of(_ error: DiskError) -> CommandFailure {
        let verb =
            switch error.operation {
            case .openFolder, .open: "open"
            case .makeFolder, .create: "create"
            case .list: "list"
            case .status: "look at"
            case .read: "read"
            case .write: "write"
            case .truncate: "shorten"
            case .syncFile, .syncFolder: "sync"
            case .link, .rename: "name"
            case .unlink: "delete"
            case .lock: "lock"
            case .setMode: "set the mode of"
            }
        // A folder's place can be taken by either, and which error a link gives depends on the system.
        let isTaken = error.operation == .openFolder && [ELOOP, ENOTDIR].contains(error.code)
        let hint =
            isTaken
            ? "a file or a link stands there, and links are not followed in a log"
            : SystemError.hint(error.code)
        return CommandFailure(
            "cannot \(verb) \(error.path): \(SystemError.text(error.code))", hint: hint)
    }

    private static func of(_ error: MetricsError) -> CommandFailure {
        switch error {
        case .unknownTimeZone(let identifier):
            CommandFailure(
                "there is no time zone \"\(identifier)\"", hint: "such as --timezone Europe/Oslo")
        case .windowOutOfRange:
            CommandFailure(
                "--window takes whole seconds, from 1s to ten years", hint: "--window 15m")
        case .negativeGap: CommandFailure("--gap takes 0 or more", hint: "--gap 30m")
        case .groupCountOutOfRange:
            CommandFailure("--max-groups takes 1 or more", hint: "--max-groups 2000")
        case .repeatedDimension(let dimension):
            CommandFailure("--by names \(dimension.rawValue) twice", hint: "name it once")
        case .driftDimension(let dimension):
            CommandFailure(
                "a drift is by os, model or app, not by \(dimension.rawValue)", hint: "--by os")
        case .driftOfOneSide:
            CommandFailure(
                "--baseline and --candidate are the same", hint: "name two of what is compared")
        case .levelOutOfRange:
            CommandFailure("--level takes a share between 0 and 1", hint: "--level 0.05")
        }
    }

    // MARK: Lines

    static func of(_ fault: LineFault) -> String {
        switch fault {
        case .tooLong(let byteCount):
            "the line has \(Figures.bytes(byteCount)); the limit is \(LogLimits.lineByteCountMax >> 20) MiB"
        case .unknownType:
            "a fact of a type that this version does not know; import the folder of the log to keep it"
        case .fact(let error): of(error)
        case .record(let error): of(error)
        case .trace(let format, let error):
            error == TextError(.unexpectedByte, at: 0)
                ? "no trace of \(format.rawValue)"
                : "not JSON: \(of(error.kind)) (byte \(error.offset))"
        }
    }

    // MARK: Reviewed catalogs

    static func of(_ error: ReviewedCatalogError) -> String {
        let what =
            switch error.kind {
            case .notJSON(let kind): of(kind)
            case .unknownKey: "a key that it does not have"
            case .repeatedKey: "a key that stands twice"
            case .missingVersion: "\"v\" is missing"
            case .unsupportedVersion: "written by a newer version"
            case .wrongType: "a value of another type"
            case .badMessage: "a message id of another form"
            case .badField: "no form and field"
            case .badProperty: "a property's name of another form"
            case .badValue: "a value of another form"
            }
        return "\(what) (byte \(error.offset + 1))"
    }

    private static func of<Field>(_ error: LineError<Field>) -> String {
        let what =
            switch error.kind {
            case .notJSON(let kind): "not JSON: \(of(kind))"
            case .notAnObject: "not a JSON object"
            case .tooLong: "it is too long for a line of its kind"
            case .duplicateKey(let field): "\"\(field.name)\" stands twice"
            case .missing(let field): "\"\(field.name)\" is missing"
            case .badValue(let field): "\"\(field.name)\" has a value that it cannot have"
            case .unsupportedVersion: "written by a newer version"
            }
        return "\(what) (byte \(error.offset + 1))"
    }

    private static func of(_ kind: TextError.Kind) -> String {
        switch kind {
        case .truncated: "it ends inside a value"
        case .unexpectedByte: "a byte that cannot stand here"
        case .invalidUTF8: "not UTF-8"
        case .controlCharacter: "a control character without an escape"
        case .badEscape: "an escape that JSON does not have"
        case .loneSurrogate: "half of a surrogate pair"
        case .tooDeep: "more than \(TextLimits.depthMax) levels"
        case .notAnInteger: "not a whole number of 64 bits"
        case .trailingBytes: "something follows the value"
        }
    }
}
