# SPDX-License-Identifier: GPL-2.0-only
"""A client of etcd through its gateway for JSON, for etcd_nemesis.py."""

import base64
import json
import urllib.request


def linearizable(address, operation, key, *values, serializable=False):
    """Execute an operation: a default read asks a majority of the members."""
    name, *texts = (base64.b64encode(str(each).encode()).decode() for each in (key, *values))
    if operation == "read":
        found = ask(address, "kv/range", key=name, serializable=serializable).get("kvs")
        return base64.b64decode(found[0]["value"]) if found else None
    if operation == "write":
        return ask(address, "kv/put", key=name, value=texts[0])
    compare = {"key": name, "target": "VALUE", "value": texts[0]}
    if values[0] == 0:  # the key has not been written
        compare = {"key": name, "target": "CREATE", "create_revision": 0}
    put = {"request_put": {"key": name, "value": texts[1]}}
    return ask(address, "kv/txn", compare=[compare], success=[put]).get("succeeded", False)


def serializable(address, *operation):
    """Execute an operation: a serializable read asks only one member."""
    return linearizable(address, *operation, serializable=True)


def ask(address, path, **request):
    """Return the answer of a member to a request."""
    data = json.dumps(request).encode()
    with urllib.request.urlopen(f"http://{address}:2379/v3/{path}", data) as answer:
        return json.load(answer)
