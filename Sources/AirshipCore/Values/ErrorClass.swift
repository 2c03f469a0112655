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
    /// What says nothing about itself is ``modelError``: only a model throws such errors here.
    public init(classifying error: any Error) {
        switch error {
        case let error as any AirshipAI.ClassifiedError: self = error.errorClass
        case is DecodingError: self = .badResponse
        // By name: URLError lives in a module that this one may not import on Linux.
        case let error where (error as NSError).domain == "NSURLErrorDomain": self = .transport
        default: self = .modelError
        }
    }
}
