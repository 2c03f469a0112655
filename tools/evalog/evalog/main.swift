// The command `evalog`: everything is in the module Commands.

import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

exit(CommandLineTool.main(Array(CommandLine.arguments.dropFirst())))
