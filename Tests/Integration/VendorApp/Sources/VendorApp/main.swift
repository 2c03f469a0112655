// Records what the stand-in tells into the log at the path given, which the test then reads.

import AirshipCore
import EvalogRecording

let recorder = EvaluationRecorder(
    directory: CommandLine.arguments[1], content: .failures(days: 7))
Airship.ai.setEvaluationObserver { [recorder] evaluation in recorder.record(evaluation) }
recorder.close()
