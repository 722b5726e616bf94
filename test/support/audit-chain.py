"""Verifies an export of the audit log, from its description in docs/reference/audit.md alone; prints the first break, or "whole"."""

import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key


def fail(reason):
    print(reason)
    sys.exit(1)


events, gaps, breaks, checkpoints, key = [], [], [], [], None
for line in sys.stdin.buffer.read().split(b"\n"):
    if not line:
        continue
    parsed = json.loads(line)
    if "event" in parsed:
        text = line[line.index(b'"event":') + len(b'"event":') : -1]
        events.append((parsed["event"]["id"], text, parsed.get("hash")))
    elif "gap" in parsed:
        gaps.append(parsed["gap"])
    elif "break" in parsed:
        breaks.append(parsed["break"])
    elif "checkpoint" in parsed:
        text = line[line.index(b'"checkpoint":') + len(b'"checkpoint":') : -1]
        checkpoints.append((parsed["checkpoint"], text, parsed["signature"]))
    else:
        key = load_pem_public_key(parsed["publicKey"].encode())

for number, (_state, text, signature) in enumerate(checkpoints, 1):
    try:
        key.verify(base64.b64decode(signature), text)
    except InvalidSignature:
        fail(f"signature of checkpoint {number}")
if not checkpoints:
    fail("no checkpoint")
head = checkpoints[-1][0]
signed = {
    state["lastId"]: state["hash"]
    for state, _text, _signature in checkpoints
    if state["startId"] == head["startId"]
}
listed = "".join(f"{gap['firstId']}-{gap['lastId']} {gap['before']} {gap['after']}\n" for gap in gaps)
if hashlib.sha256(listed.encode()).hexdigest() != head["gaps"]:
    fail("gaps")
if breaks or "breaks" in head:
    told = "".join(f"{each['firstId']} {each['time']} {each['fault']}\n" for each in breaks)
    if hashlib.sha256(told.encode()).hexdigest() != head.get("breaks"):
        fail("breaks")
for id, _text, digest in events:
    if id < head["startId"] and digest is not None and not breaks:
        fail(f"added {id}")

steps = [(id, text, digest) for id, text, digest in events if id >= head["startId"]] + [
    (gap["firstId"], None, gap) for gap in gaps
]
position, previous = head["startId"], "00" * 32
for id, text, content in sorted(steps, key=lambda step: step[0]):
    if id != position:
        fail(f"missing {position}")
    if text is None:
        if content["before"] != previous:
            fail(f"changed {id - 1}")
        position, previous = content["lastId"] + 1, content["after"]
    else:
        if hashlib.sha256(bytes.fromhex(previous) + text).hexdigest() != content:
            fail(f"changed {id}")
        position, previous = id + 1, content
    if signed.get(position - 1, previous) != previous:
        fail(f"not signed {position - 1}")
if position <= head["lastId"]:
    fail(f"missing {position}")
if position > head["lastId"] + 1 or previous != head["hash"]:
    fail(f"not signed {position - 1}")
if breaks:
    fail(f"broken before {breaks[0]['firstId']}")
print("whole")
