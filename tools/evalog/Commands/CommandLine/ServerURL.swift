// Where a model is asked for.

import Foundation

extension Arguments {
    /// The server that a flag names; nil where it does not.
    func serverURL(_ flag: Flag) throws(CommandFailure) -> URL? {
        guard let text = last(flag) else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else {
            throw CommandFailure(
                "--\(flag.name) takes an http or https address",
                hint: "--\(flag.name) http://127.0.0.1:8089/v1")
        }
        return url
    }
}
