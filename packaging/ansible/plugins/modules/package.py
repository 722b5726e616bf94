#!/usr/bin/python
"""Installs and removes deployment packages."""

DOCUMENTATION = r"""
module: package
short_description: Installs or removes a deployment package of a gateway
description:
  - Installs a package unless its version is installed, and waits until the operation ends.
author: Penstock (@penstock)
extends_documentation_fragment: penstock.gateway.connection
options:
  src:
    description: File of the package, on the host that runs the module. Required with O(state=present).
    type: path
  name:
    description: Symbolic name of the package. Required with O(state=absent).
    type: str
  state:
    description: Whether the package is installed.
    type: str
    choices: [present, absent]
    default: present
  wait_seconds:
    description: Seconds after which an operation that goes on is a failure.
    type: int
    default: 300
"""

EXAMPLES = r"""
- name: Send samples to an MQTT broker
  penstock.gateway.package:
    src: /usr/share/penstock/packages/penstock-mqtt_0.1.0.dp
"""

RETURN = r"""
operation:
  description: Operation as the gateway lists it.
  returned: when something was done
  type: dict
"""

import time
import uuid
import zipfile
from urllib.parse import quote

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.penstock.gateway.plugins.module_utils.gateway import (
    CONNECTION_OPTIONS,
    CONNECTION_TOGETHER,
    Gateway,
    GatewayError,
)

PACKAGES = "/services/deploy/v2"
PAUSE_SECONDS = 0.5


def read_package(file):
    """Returns symbolic name and version in the manifest of a package."""
    try:
        with zipfile.ZipFile(file) as package:
            text = package.read("META-INF/MANIFEST.MF").decode()
    except OSError as error:
        raise ValueError("src %s cannot be read: %s" % (file, error.strerror)) from error
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError("src %s is no deployment package: %s" % (file, error)) from error
    # A line that begins with a space continues the one before.
    lines = text.replace("\r\n", "\n").replace("\n ", "").split("\n\n")[0].split("\n")
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    try:
        return fields["DeploymentPackage-SymbolicName"].split(";")[0].strip(), fields["DeploymentPackage-Version"].strip()
    except KeyError as error:
        raise ValueError("src %s: its manifest has no %s" % (file, error.args[0])) from error


def install(gateway, file, seconds):
    """Uploads a package and returns the finished operation."""
    boundary = uuid.uuid4().hex
    with open(file, "rb") as source:
        content = source.read()
    head = '--%s\r\nContent-Disposition: form-data; name="file"; filename="package.dp"\r\n\r\n' % boundary
    body = head.encode() + content + ("\r\n--%s--\r\n" % boundary).encode()
    fields = {"Content-Type": "multipart/form-data; boundary=" + boundary, "Idempotency-Key": uuid.uuid4().hex}
    return finish(gateway, gateway.send("POST", PACKAGES + "/_upload", body, fields)[1]["Location"], seconds)


def finish(gateway, location, seconds):
    """Waits until an operation has ended; raises GatewayError if it failed."""
    end = time.monotonic() + seconds
    while True:
        operation = gateway.get(location)
        if operation["state"] == "COMPLETED":
            return operation
        if operation["state"] == "FAILED":
            raise GatewayError("the operation failed: %s" % operation.get("message", operation.get("errorCode")))
        if time.monotonic() > end:
            raise GatewayError("the operation %s has not ended after %d s" % (operation["id"], seconds))
        time.sleep(PAUSE_SECONDS)


def run(module, gateway):
    """Returns the result of the task."""
    params = module.params
    present = params["state"] == "present"
    name, version = read_package(params["src"]) if present else (params["name"], None)
    installed = {package["name"]: package["version"] for package in gateway.get(PACKAGES)}
    before = installed.get(name)
    if before == version:
        return {"changed": False}
    result = {"changed": True, "diff": {"before": "%s %s\n" % (name, before), "after": "%s %s\n" % (name, version)}}
    if not module.check_mode:
        if present:
            result["operation"] = install(gateway, params["src"], params["wait_seconds"])
        else:
            location = gateway.send("DELETE", "%s/%s" % (PACKAGES, quote(name, safe="")))[1]["Location"]
            result["operation"] = finish(gateway, location, params["wait_seconds"])
    return result


def main():
    """Runs the task."""
    module = AnsibleModule(
        argument_spec={
            **CONNECTION_OPTIONS,
            "src": {"type": "path"},
            "name": {"type": "str"},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "wait_seconds": {"type": "int", "default": 300},
        },
        required_together=CONNECTION_TOGETHER,
        required_if=[("state", "present", ["src"]), ("state", "absent", ["name"])],
        supports_check_mode=True,
    )
    try:
        module.exit_json(**run(module, Gateway(module.params)))
    except (GatewayError, ValueError) as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
