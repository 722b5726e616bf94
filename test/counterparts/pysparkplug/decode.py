"""Decodes messages of an edge node with pysparkplug: lines with topic and hexadecimal payload, one line of JSON for each metric."""

import json
import sys

from pysparkplug import Topic
from pysparkplug._protobuf import Payload

DATA_SET = 16
births = {}
data_sets = {}


def take_data_sets(payload, place):
    """Returns the payload without its data sets, which the library has a schema for but no type, and those by name."""
    content = Payload.FromString(payload)
    taken = []
    for metric in list(content.metrics):
        if metric.datatype == DATA_SET:
            data_sets[(place, metric.alias)] = metric.name
        name = data_sets.get((place, metric.alias))
        if name is not None:
            taken.append((name, metric))
            content.metrics.remove(metric)
    return content.SerializeToString(), taken


def describe(data_set):
    """Lists the elements of each row by the names of the columns."""
    kinds = [[element.WhichOneof("value") for element in row.elements] for row in data_set.rows]
    return [
        {name: element and getattr(value, element) for name, element, value in zip(data_set.columns, elements, row.elements)}
        for elements, row in zip(kinds, data_set.rows)
    ]


print("ready", flush=True)
for line in sys.stdin:
    text, payload = line.split()
    topic = Topic.from_str(text)
    verb = str(topic.message_type)
    place = (topic.edge_node_id, topic.device_id)
    content, taken = take_data_sets(bytes.fromhex(payload), place)
    for name, metric in taken:
        rows = None if metric.is_null else describe(metric.dataset_value)
        print(json.dumps({"topic": text, "name": name, "type": "DATASET", "value": rows}), flush=True)
    message = topic.message_type.payload.decode(content, birth=births.get(place) if "DATA" in verb else None)
    if "BIRTH" in verb:
        births[place] = message
    metrics = getattr(message, "metrics", None) or ()
    for metric in metrics:
        value = metric.value.hex() if isinstance(metric.value, bytes) else metric.value
        print(json.dumps({"topic": text, "name": metric.name, "type": metric.datatype.name, "value": value}), flush=True)
    print(json.dumps({"topic": text, "end": True, "seq": getattr(message, "seq", None)}), flush=True)
