# SPDX-License-Identifier: GPL-2.0-only
"""A companion program with counters of replicas: python companion.py KIND.

KIND: `counts`; `time` answers with the time; `dies` at the sixth request; `text`: no JSON.
"""

import json
import sys
import time

counts = {}
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if sys.argv[1] == "dies" and number == 5:
        sys.exit(3)
    if sys.argv[1] == "text":
        print("hello", flush=True)
        continue
    replica = request["id"]
    counts[replica] = counts.get(replica, 0) + request["add"]
    answer = time.time_ns() if sys.argv[1] == "time" else counts[replica]
    print(json.dumps(answer), flush=True)
