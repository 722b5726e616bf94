"""An OPC UA server on open62541. It takes its settings as key=value, says when it is ready, and ends with its input."""

import contextlib
import sys

# Its banner is no answer.
with contextlib.redirect_stdout(sys.stderr):
    import o6

settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
user = settings.get("user")


class Access(o6.AccessControl):
    def activateSession(self, endpoint, remoteCertificate, session, userIdentityToken):
        name = getattr(userIdentityToken, "userName", None)
        password = getattr(userIdentityToken, "password", b"")
        if user is None or (name is not None and f"{name}:{bytes(password).decode()}" == user):
            return None
        raise o6.StatusCodeError(o6.StatusCode.BAD_USER_ACCESS_DENIED)


VALUES = {
    "boolean": o6.Boolean(True),
    "sByte": o6.SByte(-128),
    "byte": o6.Byte(255),
    "int16": o6.Int16(-32768),
    "uint16": o6.UInt16(65535),
    "int32": o6.Int32(-(2**31)),
    "uint32": o6.UInt32(2**32 - 1),
    "int64": o6.Int64(-(2**63)),
    "uint64": o6.UInt64(2**64 - 1),
    "float": o6.Float(12.5),
    "double": o6.Double(0.1),
    "string": o6.String("Kessel ß"),
    "dateTime": o6.DateTime("2024-02-29T12:00:00.123Z"),
    "guid": o6.Guid("72962b91-fa75-4ae6-8d28-b404dc7daf63"),
    "byteString": o6.ByteString(b"\x01\x02\x03"),
    "xmlElement": o6.XmlElement("<a>1</a>"),
    "nodeId": o6.NodeId("i=85"),
    "expandedNodeId": o6.ExpandedNodeId("svr=4;nsu=urn:far;i=7"),
    "qualifiedName": o6.QualifiedName(1, "Boiler"),
    "localizedText": o6.LocalizedText("Vorlauf"),
    "range": o6.ns.ns0.datatypes.Range(low=-1.5, high=20.0),
    "setpoint": o6.Int32(0),
}

options = {}
if "certificate" in settings:
    options = {
        "certificate": settings["certificate"],
        "privateKey": settings["privateKey"],
        "applicationUri": settings["applicationUri"],
        # With an empty list it would trust everyone.
        "trustList": [settings.get("trusted", settings["certificate"])],
    }
if user is not None:
    options["accessControl"] = Access(anonymous=False, username=True)
server = o6.Server(port=int(settings["port"]), **options)
for name, value in VALUES.items():
    server.addVariable(name, server.objectsNode, value, nodeId=o6.NodeId(f"ns=1;s={name}"))
for number in range(int(settings.get("bulk", "0"))):
    server.addVariable(f"bulk.{number}", server.objectsNode, o6.Int32(number), nodeId=o6.NodeId(f"ns=1;s=bulk.{number}"))
server.start()
print("ready", flush=True)
sys.stdin.read()
server.stop()
