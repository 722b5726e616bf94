"""Checks documents against a JSON Schema with a validator of another make: reads {"schema", "documents"} as JSON, prints
for each document whether it is valid. Fails when the schema itself breaks the rules of its dialect, or has a pattern that
this language cannot compile."""
import json, re, sys
from jsonschema.validators import validator_for

def compile_patterns(node):
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            re.compile(node["pattern"])
        for value in node.values():
            compile_patterns(value)
    elif isinstance(node, list):
        for value in node:
            compile_patterns(value)

request = json.load(sys.stdin)
Validator = validator_for(request["schema"])
Validator.check_schema(request["schema"])
compile_patterns(request["schema"])
validator = Validator(request["schema"])
print(json.dumps([validator.is_valid(document) for document in request["documents"]]))
