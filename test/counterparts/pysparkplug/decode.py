"""Decodes messages of an edge node with pysparkplug: lines with topic and hexadecimal payload, one line of JSON for each metric."""

import json
import sys

from pysparkplug import Topic

births = {}
print("ready", flush=True)
for line in sys.stdin:
    text, payload = line.split()
    topic = Topic.from_str(text)
    verb = str(topic.message_type)
    place = (topic.edge_node_id, topic.device_id)
    message = topic.message_type.payload.decode(bytes.fromhex(payload), birth=births.get(place) if "DATA" in verb else None)
    if "BIRTH" in verb:
        births[place] = message
    metrics = getattr(message, "metrics", None) or ()
    for metric in metrics:
        value = metric.value.hex() if isinstance(metric.value, bytes) else metric.value
        print(json.dumps({"topic": text, "name": metric.name, "type": metric.datatype.name, "value": value}), flush=True)
    print(json.dumps({"topic": text, "end": True, "seq": getattr(message, "seq", None)}), flush=True)
