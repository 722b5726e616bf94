#!/usr/bin/python
"""Creates, changes and removes identities with their grants."""

DOCUMENTATION = r"""
module: identity
short_description: Creates, changes and removes an identity of a gateway
description:
  - Permissions and grants that are given replace those of the identity; those that are left out stay.
  - The gateway has no dry run for identities. Check mode compares with the identity as it is.
author: Penstock (@penstock)
extends_documentation_fragment: penstock.gateway.connection
options:
  name:
    description: Name of the identity, which is the common name of its client certificate.
    type: str
    required: true
  state:
    description: Whether the identity exists.
    type: str
    choices: [present, absent]
    default: present
  permissions:
    description: All permissions of the identity.
    type: list
    elements: str
  grants:
    description: All grants of the identity, as in the section C(identities) of the configuration.
    type: list
    elements: dict
  password:
    description: Password, for example from a vault. It is set when the identity is created.
    type: str
  password_change_needed:
    description: The password has to be changed at the first login. It is set when the identity is created.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Let the SCADA system write one setpoint
  penstock.gateway.identity:
    name: scada
    permissions: [rest.assets.read]
    grants:
      - { assets: [boiler], channels: [setpoint], operations: [READ, WRITE] }
"""

RETURN = r"""
"""

import json

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.penstock.gateway.plugins.module_utils.gateway import (
    CONNECTION_OPTIONS,
    CONNECTION_TOGETHER,
    Gateway,
    GatewayError,
)

IDENTITIES = "/services/identity/v1/identities"


def find_identity(gateway, name):
    """Returns the identity and its tag; two times None if there is none."""
    try:
        _status, headers, identity = gateway.send("POST", IDENTITIES + "/byName", {"userName": name})
    except GatewayError as error:
        if error.status == 404:
            return None, None
        raise
    return identity, headers.get("ETag")


def show(identity):
    """Returns permissions and grants of an identity, in an order of their own."""
    if identity is None:
        return {}
    return {
        "permissions": sorted(read_permissions(identity)),
        "grants": sorted(
            (normalize(grant) for grant in identity.get("grants") or []), key=lambda grant: json.dumps(grant, sort_keys=True)
        ),
    }


def read_permissions(identity):
    """Returns the permissions of an identity as the gateway lists them."""
    config = identity.get("userConfig", identity)
    return config.get("permissions") or []


def normalize(grant):
    """Returns a grant whose operations have one order."""
    return {**grant, "operations": sorted(grant.get("operations") or [])}


def run(module, gateway):
    """Returns the result of the task."""
    params = module.params
    identity, tag = find_identity(gateway, params["name"])
    before = show(identity)
    if params["state"] == "absent":
        if identity is not None and not module.check_mode:
            gateway.send("DELETE", IDENTITIES, {"userName": params["name"]})
        return describe(params["name"], before, {}, identity is not None)
    wanted = {key: params[key] for key in ("permissions", "grants") if params[key] is not None}
    after = show({"permissions": before.get("permissions"), "grants": before.get("grants"), **wanted})
    changed = identity is None or before != after
    if changed and not module.check_mode:
        body = {"userName": params["name"], **wanted}
        if identity is None:
            if params["password"] is not None:
                body.update(
                    passwordAuthEnabled=True,
                    password=params["password"],
                    passwordChangeNeeded=params["password_change_needed"],
                )
            gateway.send("POST", IDENTITIES, body)
        else:
            gateway.send("PUT", IDENTITIES, body, {"If-Match": tag} if tag else {})
    return describe(params["name"], before, after, changed)


def describe(name, before, after, changed):
    """Returns the result with its difference."""
    result = {"changed": changed}
    if changed:
        result["diff"] = {
            "before_header": name,
            "after_header": name,
            "before": json.dumps(before, indent=2, sort_keys=True) + "\n",
            "after": json.dumps(after, indent=2, sort_keys=True) + "\n",
        }
    return result


def main():
    """Runs the task."""
    module = AnsibleModule(
        argument_spec={
            **CONNECTION_OPTIONS,
            "name": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "permissions": {"type": "list", "elements": "str"},
            "grants": {"type": "list", "elements": "dict"},
            "password": {"type": "str", "no_log": True},
            "password_change_needed": {"type": "bool", "default": False, "no_log": False},
        },
        required_together=CONNECTION_TOGETHER,
        supports_check_mode=True,
    )
    try:
        module.exit_json(**run(module, Gateway(module.params)))
    except GatewayError as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
