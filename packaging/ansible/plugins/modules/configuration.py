#!/usr/bin/python
"""Applies sections of the managed configuration."""

DOCUMENTATION = r"""
module: configuration
short_description: Applies sections of the managed configuration of a gateway
description:
  - Makes one change of all given sections. The gateway checks it first (dry run); without effect nothing is changed.
  - The change is limited by O(confirm_within). A probe on new connections tries it, and only then does the controller
    confirm it, with a second run of the module. A change that fails the probe, or whose controller is cut off, is undone.
  - In check mode the effects are those of the dry run.
author: Penstock (@penstock)
extends_documentation_fragment: penstock.gateway.connection
options:
  sections:
    description:
      - Content by section, such as C(drivers), C(assets), C(recorders) or C(rest). A list of items with C(pid), or a
        dictionary of settings.
      - Secrets are not accepted here, see O(secrets).
    type: dict
    required: true
  state:
    description:
      - V(present) replaces each listed item and keeps all others; of settings it sets the listed keys.
      - V(exact) also removes what is not listed, in these sections.
      - V(absent) removes the items whose pids are listed.
    type: str
    choices: [present, exact, absent]
    default: present
  secrets:
    description: Secrets by place C(SECTION/PID/KEY), for example from a vault. A secret that is left out stays.
    type: dict
    default: {}
  secret_files:
    description: Files with a secret by place, on the host that runs the module. The newline at the end is ignored.
    type: dict
    default: {}
  confirm_within:
    description: Seconds after which the gateway goes back, unless the change is confirmed.
    type: int
    default: 60
  probe_assets:
    description: Pids of assets. All their channels must be readable after the change.
    type: list
    elements: str
    default: []
  probe_seconds:
    description: Seconds for which a failing probe is repeated; at most two less than O(confirm_within).
    type: int
    default: 20
  confirmed_snapshot:
    description: Set by the collection itself. The module confirms the change with this snapshot, and does nothing else.
    type: int
"""

EXAMPLES = r"""
- name: Connect the meters
  penstock.gateway.configuration:
    sections:
      drivers:
        - { pid: meters, type: modbus, host: 192.0.2.30 }
    probe_assets: [meter1]
"""

RETURN = r"""
unconfirmed_snapshot:
  description: Snapshot of a change that the controller has to confirm. The collection removes it.
  returned: when something was changed
  type: int
effects:
  description: Effects as the gateway lists them, with access that clients lose and warnings.
  returned: success
  type: dict
"""

import json

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.penstock.gateway.plugins.module_utils import change, managed
from ansible_collections.penstock.gateway.plugins.module_utils.gateway import (
    CONNECTION_OPTIONS,
    CONNECTION_TOGETHER,
    Gateway,
    GatewayError,
)


def read_secrets(module):
    """Returns the secrets of both options by place; those of files are masked in every output from now on."""
    secrets = {place: str(secret) for place, secret in module.params["secrets"].items()}
    for place, file in module.params["secret_files"].items():
        try:
            with open(file, encoding="utf-8") as source:
                secrets[place] = source.read().rstrip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError("secret %s: %s cannot be read: %s" % (place, file, type(error).__name__)) from error
        module.no_log_values.add(secrets[place])
    return secrets


def run(module, gateway):
    """Returns the result of the task."""
    params = module.params
    if params["confirmed_snapshot"] is not None:
        change.confirm(gateway, params["confirmed_snapshot"], params["confirm_within"])
        return {"changed": True}
    names = managed.list_secret_names(gateway.get(change.CONFIGURATION + "/schema"))
    place = managed.find_open_secret(params["sections"], names)
    if place:
        raise ValueError("%s is a secret: give it in secrets or secret_files" % place)
    headers, active = gateway.send("GET", change.CONFIGURATION)[1:]
    document = managed.merge(active, params["sections"], params["state"])
    managed.keep_secrets(document, active, names)
    for secret_place, secret in read_secrets(module).items():
        managed.put_secret(document, secret_place, secret)
    effects = change.plan(gateway, document)
    changed = change.is_change(effects)
    if changed and not module.check_mode:
        effects = change.apply(
            gateway,
            document,
            headers["ETag"],
            params["confirm_within"],
            params["probe_assets"],
            params["probe_seconds"],
        )
    result = {"changed": changed, "effects": effects}
    if changed and not module.check_mode:
        result["unconfirmed_snapshot"] = effects["snapshot"]
    if changed:
        result["diff"] = {
            "before": show(active, params["sections"], names),
            "after": show(document, params["sections"], names),
        }
    return result


def show(document, sections, names):
    """Returns the sections as text for a difference."""
    return json.dumps(managed.show(document, sections, names), indent=2, sort_keys=True) + "\n"


def main():
    """Runs the task."""
    module = AnsibleModule(
        argument_spec={
            **CONNECTION_OPTIONS,
            "sections": {"type": "dict", "required": True},
            "state": {"type": "str", "choices": ["present", "exact", "absent"], "default": "present"},
            "secrets": {"type": "dict", "default": {}, "no_log": True},
            "secret_files": {"type": "dict", "default": {}, "no_log": False},
            "confirm_within": {"type": "int", "default": 60},
            "probe_assets": {"type": "list", "elements": "str", "default": []},
            "probe_seconds": {"type": "int", "default": 20},
            "confirmed_snapshot": {"type": "int"},
        },
        required_together=CONNECTION_TOGETHER,
        supports_check_mode=True,
    )
    if not 5 <= module.params["confirm_within"] <= 86400:
        module.fail_json(msg="confirm_within: expected 5 to 86400")
    try:
        module.exit_json(**run(module, Gateway(module.params)))
    except (GatewayError, ValueError) as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
