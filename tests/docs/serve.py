# SPDX-License-Identifier: GPL-2.0-only
"""Start a command that runs until Ctrl-C, wait until it serves, and send it Ctrl-C.

    python serve.py WHAT_IT_PRINTS STATUS COMMAND...

The status is 0 if it printed that, and ended with STATUS.
"""

import signal
import subprocess
import sys


def main() -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    printed, status, *command = sys.argv[1:]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            if printed in line:
                break
        else:
            print(f"{command[0]} has ended with {process.wait()}, and never said {printed!r}")
            return 1
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        found = process.wait()
    if found != int(status):
        print(f"{command[0]} has ended with {found} after Ctrl-C, not with {status}")
    return int(found != int(status))


if __name__ == "__main__":
    sys.exit(main())
