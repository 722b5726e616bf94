"""One change of the managed configuration: made for a limited time, tried, and then confirmed or reverted."""

import time
from urllib.parse import quote

from ansible_collections.penstock.gateway.plugins.module_utils.gateway import GatewayError

CONFIGURATION = "/services/configuration/v1"
# The confirmation has to arrive before the gateway goes back.
MARGIN_SECONDS = 2
PAUSE_SECONDS = 0.5


def plan(gateway, document):
    """Returns the effects of a change to the document, without making it (dry run)."""
    return gateway.send("PUT", CONFIGURATION + "?dryRun=true", document)[2]


def is_change(effects):
    """True if a plan adds, changes or removes something."""
    return bool(effects["added"] or effects["changed"] or effects["removed"])


def apply(gateway, document, tag, confirm_within, assets, probe_seconds):
    """Makes the change and tries it; the caller has to confirm it.

    tag: of the configuration that the document was made from; another client may have changed it since.
    confirm_within: seconds after which the gateway goes back without a confirmation.
    assets: pids whose channels have to be readable without a failure.
    probe_seconds: how long the probe is repeated.
    Returns the effects. Raises GatewayError if the change is refused, or if it does not stand the probe: it is reverted
    then, or the gateway goes back without this client.
    """
    path = "%s?confirmWithin=%d" % (CONFIGURATION, confirm_within)
    started = time.monotonic()
    effects = gateway.send("PUT", path, document, {"If-Match": tag})[2]
    end = started + max(0, min(probe_seconds, confirm_within - MARGIN_SECONDS))
    reason = _probe_until(gateway, assets, effects["snapshot"], end)
    if reason is not None:
        raise GatewayError("the probe failed: %s; %s" % (reason, _revert(gateway, effects["snapshot"], confirm_within)))
    return effects


def confirm(gateway, snapshot, confirm_within):
    """Confirms a change that stood the probe.

    Raises GatewayError if that is not possible: it is reverted then, or the gateway goes back without this client.
    """
    try:
        gateway.send("POST", "%s/_confirm?snapshot=%d" % (CONFIGURATION, snapshot))
    except GatewayError as error:
        raise GatewayError(
            "the change is not confirmed: %s; %s" % (error, _revert(gateway, snapshot, confirm_within))
        ) from error


def _revert(gateway, snapshot, confirm_within):
    try:
        gateway.send("POST", "%s/_takeBack?snapshot=%d" % (CONFIGURATION, snapshot))
        return "the change was reverted"
    except GatewayError:
        return "the gateway goes back at most %d s after the change" % confirm_within


def _probe_until(gateway, assets, snapshot, end):
    while True:
        reason = _probe(gateway, assets, snapshot)
        if reason is None or time.monotonic() + PAUSE_SECONDS > end:
            return reason
        time.sleep(PAUSE_SECONDS)


def _probe(gateway, assets, snapshot):
    """Returns why the changed gateway cannot be used; None if it can."""
    try:
        pending = gateway.get(CONFIGURATION + "/_confirm").get("pending")
        if not pending or pending["snapshot"] != snapshot:
            return "snapshot %d is not pending any more" % snapshot
        for pid in assets:
            for record in gateway.get("/services/assets/%s/_read" % quote(pid, safe="")):
                status = record["channelStatus"]
                if status["channelFlag"] != "SUCCESS":
                    return "channel %s of asset %s: %s" % (record["name"], pid, status.get("exceptionMessage"))
    except GatewayError as error:
        return str(error)
    return None
