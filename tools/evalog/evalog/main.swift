// The command `evalog`: everything is in the module Commands.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Commands

exit(CommandLineTool.main(Array(CommandLine.arguments.dropFirst())))
