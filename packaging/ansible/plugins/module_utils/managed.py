"""Pure decisions about the managed configuration: what a task makes of it, and how secrets are kept out of sight."""

import copy


def merge(document, sections, state):
    """Returns the document with the sections of a task.

    document: the configuration as the gateway returns it; it stays unchanged.
    sections: for each name a list of items with pid, or a dictionary of settings; with state absent, of pids.
    state: present keeps other items and keys, exact removes them, absent removes the listed items.
    Raises ValueError, which names the section or item.
    """
    result = copy.deepcopy(document)
    for name, wanted in sections.items():
        if state == "absent":
            result[name] = _without(name, result.get(name) or [], wanted)
        elif isinstance(wanted, list):
            result[name] = _with_items(name, result.get(name) or [], wanted, state)
        elif isinstance(wanted, dict):
            result[name] = dict(wanted) if state == "exact" else {**(result.get(name) or {}), **wanted}
        else:
            raise ValueError("section %s: expected a list of items or a dictionary of settings" % name)
    return result


def _without(name, items, wanted):
    if not isinstance(items, list) or not isinstance(wanted, list):
        raise ValueError("section %s: state absent needs a list of pids, of a section that has items" % name)
    pids = {entry["pid"] if isinstance(entry, dict) and "pid" in entry else entry for entry in map(_hashable, wanted)}
    return [item for item in items if item["pid"] not in pids]


def _hashable(entry):
    return entry if isinstance(entry, dict) else str(entry)


def _with_items(name, items, wanted, state):
    if not isinstance(items, list):
        raise ValueError("section %s: expected a dictionary of settings" % name)
    by_pid = {}
    for item in wanted:
        if not isinstance(item, dict) or not isinstance(item.get("pid"), str):
            raise ValueError("section %s: each item needs a pid" % name)
        if item["pid"] in by_pid:
            raise ValueError("section %s: two items have the pid %s" % (name, item["pid"]))
        by_pid[item["pid"]] = copy.deepcopy(item)
    if state == "exact":
        return list(by_pid.values())
    kept = [by_pid.pop(item["pid"], item) for item in items]
    return kept + list(by_pid.values())


def keep_secrets(document, active, names):
    """Adds to each item the secrets that it has on the gateway and the task leaves out, so that they stay.

    names: keys that hold secrets in the schema of the gateway.
    """
    for section, items in document.items():
        before = {item["pid"]: item for item in active.get(section) or [] if isinstance(item, dict) and "pid" in item}
        for item in items if isinstance(items, list) else []:
            for key, value in before.get(item.get("pid"), {}).items():
                if key in names and value == {"isSet": True} and key not in item:
                    item[key] = value


def list_secret_names(schema):
    """Returns the keys that the schema of the gateway marks as secrets (writeOnly)."""
    names = set()
    if isinstance(schema, dict):
        for key, value in (schema.get("properties") or {}).items():
            if _is_secret(value):
                names.add(key)
        for value in schema.values():
            names |= list_secret_names(value)
    elif isinstance(schema, list):
        for value in schema:
            names |= list_secret_names(value)
    return names


def _is_secret(schema):
    if not isinstance(schema, dict):
        return False
    parts = schema.get("anyOf", []) + schema.get("oneOf", []) + schema.get("allOf", [])
    return schema.get("writeOnly") is True or any(_is_secret(part) for part in parts)


def find_open_secret(value, names, place=""):
    """Returns the place of a secret that is written as text among other settings; None if there is none."""
    entries = []
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = ((item.get("pid", str(n)) if isinstance(item, dict) else str(n), item) for n, item in enumerate(value))
    for key, entry in entries:
        here = "%s/%s" % (place, key) if place else str(key)
        if key in names and isinstance(value, dict) and isinstance(entry, str):
            return here
        found = find_open_secret(entry, names, here)
        if found:
            return found
    return None


def put_secret(document, place, secret):
    """Puts a secret at SECTION/PID/KEY of the document, in which KEY may have several parts.

    Raises ValueError if there is no such item.
    """
    section, *keys = place.split("/")
    target = document.get(section)
    if isinstance(target, list) and len(keys) > 1:
        pid = keys.pop(0)
        target = next((item for item in target if item["pid"] == pid), None)
    for key in keys[:-1]:
        target = target.setdefault(key, {}) if isinstance(target, dict) else None
    if not isinstance(target, dict) or not keys:
        raise ValueError("secret %s: there is no such item" % place)
    target[keys[-1]] = secret


def show(document, sections, names):
    """Returns the sections for a difference: items by pid, secrets as set or not."""
    shown = {}
    for section in sections:
        content = document.get(section)
        if isinstance(content, list):
            content = {item["pid"]: item for item in content}
        shown[section] = _mask(content, names)
    return shown


def _mask(value, names):
    if isinstance(value, dict):
        return {
            key: "(secret)" if key in names and entry is not None else _mask(entry, names)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_mask(entry, names) for entry in value]
    return value
