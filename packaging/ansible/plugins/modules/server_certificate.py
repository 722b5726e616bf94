#!/usr/bin/python
"""Replaces the server certificate of a gateway and its key."""

DOCUMENTATION = r"""
module: server_certificate
short_description: Replaces the server certificate of a gateway and its private key
description:
  - Runs on the gateway. Installs a pair that is given, or has a command issue one, and has the gateway reload.
  - A new connection has to show the certificate afterwards. Otherwise the previous pair comes back, and the task fails.
author: Penstock (@penstock)
options:
  certificate:
    description: Certificate followed by its intermediates, PEM.
    type: str
  key:
    description: Private key, PEM without passphrase, for example from a vault. Required with O(certificate).
    type: str
  command:
    description:
      - Program and arguments that write C(server.crt) and C(server.key) into the working directory, instead of
        O(certificate). It runs if the gateway shows no certificate, or one that ends within O(renew_days) or lacks one
        of O(names).
    type: list
    elements: str
  names:
    description: Host names and addresses that the certificate needs, with O(command).
    type: list
    elements: str
    default: []
  renew_days:
    description: Days before its end on which a certificate is renewed, with O(command).
    type: int
    default: 30
  certificate_file:
    description: The setting C(tls.certificateFile) of the gateway.
    type: path
    default: /etc/penstock/tls/server.crt
  key_file:
    description: The setting C(tls.privateKeyFile) of the gateway.
    type: path
    default: /etc/penstock/tls/server.key
  owner:
    description: User that the gateway runs as.
    type: str
    default: penstock
  host:
    description: Host name or address for the new connection.
    type: str
    default: localhost
  port:
    description: Port for the new connection, one of C(httpsPorts).
    type: int
    default: 443
  reload_command:
    description: Program and arguments that have the gateway read its files again.
    type: list
    elements: str
    default: [systemctl, reload, penstock.service]
  wait_seconds:
    description: Seconds within which a new connection has to show the certificate.
    type: int
    default: 20
"""

EXAMPLES = r"""
- name: Renew the certificate with the authority of the plant
  penstock.gateway.server_certificate:
    command: [/usr/local/sbin/request-certificate, gateway.plant.example]
    names: [gateway.plant.example]
"""

RETURN = r"""
fingerprint:
  description: SHA-256 fingerprint of the certificate that a new connection shows.
  returned: success, except for a command in check mode
  type: str
"""

import hashlib
import os
import pwd
import re
import shutil
import socket
import ssl
import tempfile
import time

from ansible.module_utils.basic import AnsibleModule

PAUSE_SECONDS = 0.25
CONNECT_SECONDS = 10
DAY_SECONDS = 86400
# Python names it from 3.10 on: a certificate may be trusted itself, without its authority.
PARTIAL_CHAIN = 0x80000
FIRST_CERTIFICATE = re.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


def read_file(file):
    """Returns the text of a file; None if there is none."""
    try:
        with open(file, encoding="utf-8") as source:
            return source.read()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ValueError("%s cannot be read: %s" % (file, type(error).__name__)) from error


def read_first(text, place):
    """Returns the first certificate of a PEM text as DER, which is what a server shows."""
    found = FIRST_CERTIFICATE.search(text or "")
    try:
        return ssl.PEM_cert_to_DER_cert(found.group(0))
    except (AttributeError, ValueError) as error:
        raise ValueError("%s: expected a certificate in PEM" % place) from error


def show_fingerprint(der):
    """Returns a fingerprint in the form of openssl."""
    return hashlib.sha256(der).hexdigest().upper() if der else ""


def connect(params, context):
    """Returns a new TLS connection to the gateway."""
    plain = socket.create_connection((params["host"], params["port"]), CONNECT_SECONDS)
    return context.wrap_socket(plain, server_hostname=params["host"])


def find_shown(params):
    """Returns the certificate that a new connection shows as DER, of any authority; None without a response."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with connect(params, context) as connection:
            return connection.getpeercert(binary_form=True)
    except OSError:
        return None


def find_reason_to_renew(params, text):
    """Returns why the certificate of the file has to be renewed; None if the gateway shows it and it is good."""
    if text is None:
        return "there is none"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=FIRST_CERTIFICATE.search(text).group(0))
        with connect(params, context) as connection:
            shown = connection.getpeercert()
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except AttributeError:
        return "it is not PEM"
    days = (ssl.cert_time_to_seconds(shown["notAfter"]) - time.time()) / DAY_SECONDS
    if days < params["renew_days"]:
        return "it ends in %d days" % days
    present = {name.lower() for _kind, name in shown.get("subjectAltName", ())}
    missing = [name for name in params["names"] if name.lower() not in present]
    return "it lacks %s" % ", ".join(missing) if missing else None


def issue(module, folder):
    """Has the command issue a pair, and returns it."""
    status, output, errors = module.run_command(module.params["command"], cwd=folder)
    if status != 0:
        raise ValueError("command ended with %d: %s" % (status, (errors or output).strip()[-2000:]))
    pair = [read_file(os.path.join(folder, name)) for name in ("server.crt", "server.key")]
    if None in pair:
        raise ValueError("command did not write server.crt and server.key into its working directory")
    return pair


def check_pair(folder, pair):
    """Raises ValueError unless certificate and key belong together."""
    files = [os.path.join(folder, name) for name in ("checked.crt", "checked.key")]
    for file, text in zip(files, pair):
        with open(file, "w", encoding="utf-8") as target:
            target.write(text)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files, password=lambda: "")
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise ValueError("certificate and key cannot be used: %s" % reason) from error


def install(params, pair):
    """Puts a pair in its place: the key first, because the gateway waits for the certificate."""
    account = pwd.getpwnam(params["owner"])
    for file, text, mode in ((params["key_file"], pair[1], 0o600), (params["certificate_file"], pair[0], 0o644)):
        descriptor, waiting = tempfile.mkstemp(dir=os.path.dirname(file), prefix=".server-")
        try:
            with open(descriptor, "w", encoding="utf-8") as target:
                target.write(text)
                target.flush()
                os.fchown(descriptor, account.pw_uid, account.pw_gid)
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            os.replace(waiting, file)
        except OSError:
            os.unlink(waiting)
            raise


def reload(module, wanted):
    """Has the gateway reload, and returns why it does not show the certificate; None if it does."""
    status, output, errors = module.run_command(module.params["reload_command"])
    if status != 0:
        return "reload_command ended with %d: %s" % (status, (errors or output).strip()[-2000:])
    end = time.monotonic() + module.params["wait_seconds"]
    while find_shown(module.params) != wanted:
        if time.monotonic() > end:
            return "after %d s a new connection shows another certificate" % module.params["wait_seconds"]
        time.sleep(PAUSE_SECONDS)
    if not module.params["command"]:
        return None
    reason = find_reason_to_renew(module.params, read_file(module.params["certificate_file"]))
    return reason and "the certificate of the command is no better: %s" % reason


def run(module, folder):
    """Returns the result of the task."""
    params = module.params
    before = [read_file(params["certificate_file"]), read_file(params["key_file"])]
    if params["command"]:
        reason = find_reason_to_renew(params, before[0])
        if reason and module.check_mode:
            return {"changed": True, "msg": "the certificate would be renewed: %s" % reason}
        pair = issue(module, folder) if reason else before
        if reason and pair == before:
            raise ValueError("the certificate of the command is no better: %s" % reason)
    else:
        pair = [params["certificate"], params["key"]]
    check_pair(folder, pair)
    wanted = read_first(pair[0], "certificate")
    shown = find_shown(params)
    changed = pair != before
    result = {"changed": changed or shown != wanted, "fingerprint": show_fingerprint(wanted)}
    if not result["changed"]:
        return result
    result["diff"] = {
        "before_header": params["certificate_file"],
        "after_header": params["certificate_file"],
        "before": "SHA-256 %s\n" % show_fingerprint(shown),
        "after": "SHA-256 %s\n" % show_fingerprint(wanted),
    }
    if module.check_mode:
        return result
    if changed:
        install(params, pair)
    reason = reload(module, wanted)
    if reason is None:
        return result
    if changed and None not in before:
        install(params, before)
        module.run_command(params["reload_command"])
        reason += "; the previous pair is back"
    raise ValueError(reason)


def main():
    """Runs the task."""
    module = AnsibleModule(
        argument_spec={
            "certificate": {"type": "str"},
            "key": {"type": "str", "no_log": True},
            "command": {"type": "list", "elements": "str"},
            "names": {"type": "list", "elements": "str", "default": []},
            "renew_days": {"type": "int", "default": 30},
            "certificate_file": {"type": "path", "default": "/etc/penstock/tls/server.crt"},
            "key_file": {"type": "path", "default": "/etc/penstock/tls/server.key", "no_log": False},
            "owner": {"type": "str", "default": "penstock"},
            "host": {"type": "str", "default": "localhost"},
            "port": {"type": "int", "default": 443},
            "reload_command": {
                "type": "list",
                "elements": "str",
                "default": ["systemctl", "reload", "penstock.service"],
            },
            "wait_seconds": {"type": "int", "default": 20},
        },
        required_together=[("certificate", "key")],
        required_one_of=[("certificate", "command")],
        mutually_exclusive=[("certificate", "command")],
        supports_check_mode=True,
    )
    folder = tempfile.mkdtemp(prefix="penstock-certificate-", dir=module.tmpdir)
    try:
        result = run(module, folder)
    except (OSError, ValueError, LookupError) as error:
        module.fail_json(msg=str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
