// The closed list that every failure is reduced to before anything but content may keep it.

import Foundation

extension AirshipAI {
    /// The kind of a failure, without any of its text.
    public enum ErrorClass: String, CaseIterable, Sendable {
        case timeout
        case schemaMismatch = "schema_mismatch"
        case contextOverflow = "context_overflow"
        case truncated
        case refused
        case badResponse = "bad_response"
        case transport
        case rateLimited = "rate_limited"
        case quota
        case auth
        case clientError = "client_error"
        case serverError = "server_error"
        case unsupportedLanguage = "unsupported_language"
        case unavailable
        case modelError = "model_error"
        case other
    }

    /// An error that knows its own class, such as a model's.
    public protocol ClassifiedError: Error {
        var errorClass: ErrorClass { get }
    }
}

extension AirshipAI.ErrorClass {
    /// Classifies any error by its type, domain and code; reads no text.
    ///
    /// What says nothing about itself is ``modelError``: only a model throws such errors here. A
    /// cancellation is no failure, so none of the other classes is its.
    public init(classifying error: any Error) {
        switch error {
        case let error as any AirshipAI.ClassifiedError: self = error.errorClass
        case is CancellationError: self = .other
        case is DecodingError: self = .badResponse
        default:
            let error = error as NSError
            switch error.domain {
            // By name: URLError lives in a module that this one may not import on Linux.
            case "NSURLErrorDomain": self = Self(urlErrorCode: error.code)
            case NSPOSIXErrorDomain: self = Self(posixErrorCode: error.code) ?? .modelError
            default: self = .modelError
            }
        }
    }

    private init(urlErrorCode code: Int) {
        self =
            switch code {
            // No answer in time.
            case -1_001: .timeout
            // No address that anything could be asked at.
            case -1_000, -1_002: .clientError
            // Nobody gave a name and password.
            case -1_012, -1_013: .auth
            // An answer that is empty, too long, or in no form that was announced.
            case -1_011, -1_017 ... -1_014, -1_103: .badResponse
            default: .transport
            }
    }

    private init?(posixErrorCode code: Int) {
        switch Int32(exactly: code) {
        case ETIMEDOUT: self = .timeout
        case ENETDOWN, ENETUNREACH, ENETRESET, ECONNABORTED, ECONNRESET, ECONNREFUSED, ENOTCONN,
            EHOSTDOWN, EHOSTUNREACH, EPIPE:
            self = .transport
        default: return nil
        }
    }
}
