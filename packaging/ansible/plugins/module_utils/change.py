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
    """Makes the change, tries it and confirms it.

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
    change = "?snapshot=%d" % effects["snapshot"]
    reason = _probe_until(gateway, assets, effects["snapshot"], end)
    if reason is None:
        try:
            gateway.send("POST", CONFIGURATION + "/_confirm" + change)
            return effects
        except GatewayError as error:
            reason = str(error)
    try:
        gateway.send("POST", CONFIGURATION + "/_takeBack" + change)
        outcome = "the change was reverted"
    except GatewayError:
        outcome = "the gateway goes back at most %d s after the change" % confirm_within
    raise GatewayError("the probe failed: %s; %s" % (reason, outcome))


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
