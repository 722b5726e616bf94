"""The nodes of the server on asyncua: values of all kinds, arrays, structures and methods."""

import asyncio
import uuid
from datetime import datetime, timezone

from asyncua import Server, ua, uamethod
from asyncua.common.structures104 import new_enum, new_struct, new_struct_field

NAMESPACE = "urn:penstock:test"
TYPES = ua.VariantType
TIME = datetime(2023, 11, 14, 22, 13, 20, 123000, timezone.utc)

# Name, type and value; a list is an array, a list of lists a matrix.
VALUES = [
    ("level", TYPES.Int32, 0),
    ("trend", TYPES.Int32, 0),
    ("text", TYPES.String, "Kessel"),
    ("flags", TYPES.Boolean, [True, False]),
    ("ints", TYPES.Int32, [1, -2, 2**31 - 1]),
    ("longs", TYPES.Int64, [2**53 + 1, -(2**63)]),
    ("unsigned", TYPES.UInt64, [2**64 - 1]),
    ("floats", TYPES.Float, [12.5, 0.25]),
    ("doubles", TYPES.Double, [0.1, float("nan"), float("inf")]),
    ("texts", TYPES.String, ["a,b", 'say "]"', ""]),
    ("times", TYPES.DateTime, [TIME]),
    ("guids", TYPES.Guid, [uuid.UUID("72962b91-fa75-4ae6-8d28-b404dc7daf63")]),
    ("blobs", TYPES.ByteString, [b"\x01\x02", b""]),
    ("names", TYPES.LocalizedText, [ua.LocalizedText("Vorlauf")]),
    ("none", TYPES.Int32, []),
    ("mixed", TYPES.Variant, [ua.Variant(7, TYPES.Int32), ua.Variant("x", TYPES.String), ua.Variant([0.5], TYPES.Double)]),
    ("largest", TYPES.UInt64, 2**64 - 1),
    ("name", TYPES.QualifiedName, ua.QualifiedName("Boiler", 2)),
    ("far", TYPES.ExpandedNodeId, ua.ExpandedNodeId(7, 0, NamespaceUri="urn:far", ServerIndex=4)),
    ("matrix", TYPES.Int16, [[1, 2, 3], [4, 5, 6]]),
    ("cube", TYPES.Double, [[[1.5], [2.0]], [[3.0], [4.0]]]),
]


class Nodes:
    def __init__(self) -> None:
        self._nodes: dict = {}
        self._first: dict = {}
        self.calls: list = []

    def __getitem__(self, name: str):
        return self._nodes[name]

    def __setitem__(self, name: str, node) -> None:
        self._nodes[name] = node

    async def remember(self) -> None:
        self._first = {name: await node.read_data_value() for name, node in self._nodes.items()}

    async def restore(self) -> None:
        """Gives each node the value that was remembered, where it has another, and forgets the calls."""
        for name, first in self._first.items():
            if await self._nodes[name].read_data_value(raise_on_bad_status=False) != first:
                await self._nodes[name].write_attribute(ua.AttributeIds.Value, first)
        self.calls.clear()


async def add(server: Server) -> Nodes:
    index = await server.register_namespace(NAMESPACE)
    nodes = Nodes()
    for name, kind, value in VALUES:
        of_any_type = ua.NodeId(ua.ObjectIds.BaseDataType) if kind == TYPES.Variant else None
        await add_variable(server, nodes, index, name, ua.Variant(value, kind), of_any_type)
    await add_any(server, nodes, index)
    await add_structures(server, nodes, index)
    await add_methods(server, nodes, index)
    return nodes


async def add_variable(server: Server, nodes: Nodes, index: int, name: str, variant: ua.Variant, kind=None):
    identifier = ua.NodeId(name, index)
    browse_name = ua.QualifiedName(name, index)
    node = await server.nodes.objects.add_variable(identifier, browse_name, variant, datatype=kind)
    await node.set_writable()
    nodes[name] = node
    return node


async def add_any(server: Server, nodes: Nodes, index: int) -> None:
    """Nodes that may hold a scalar or an array, so that only their value shows which."""
    for name, value in (("any", [1, 2]), ("anyScalar", 1)):
        node = await add_variable(server, nodes, index, name, ua.Variant(value, TYPES.Int32))
        await node.write_attribute(ua.AttributeIds.ValueRank, ua.DataValue(ua.Variant(-2, TYPES.Int32)))


async def add_structures(server: Server, nodes: Nodes, index: int) -> None:
    point, _ = await new_struct(
        server,
        index,
        "Point",
        [new_struct_field("x", TYPES.Double), new_struct_field("y", TYPES.Float)],
    )
    mode = await new_enum(server, index, "Mode", ["OFF", "AUTO"])
    await new_struct(
        server,
        index,
        "Motor",
        [
            new_struct_field("name", TYPES.String),
            new_struct_field("hours", TYPES.UInt64),
            new_struct_field("mode", mode),
            new_struct_field("position", point),
            new_struct_field("path", point, array=True),
            new_struct_field("counts", TYPES.Int64, array=True),
            new_struct_field("serial", TYPES.ByteString),
            new_struct_field("started", TYPES.DateTime),
            new_struct_field("note", TYPES.String, optional=True),
        ],
    )
    odd = ["schema", "__proto__", "constructor", "toString", "buffer", "nodeId", "decode", "value"]
    await new_struct(server, index, "Odd", [new_struct_field(name, TYPES.String) for name in odd])
    fields = [new_struct_field("label", TYPES.String), new_struct_field("parts", TYPES.Variant, array=True)]
    await new_struct(server, index, "Box", fields)
    await server.load_data_type_definitions()
    box = ua.Box(label="B1", parts=[ua.Variant(7, TYPES.Int32), ua.Variant("x", TYPES.String)])
    await add_variable(server, nodes, index, "box", ua.Variant(box, TYPES.ExtensionObject))
    names = ua.Variant(ua.Odd(*odd), TYPES.ExtensionObject)
    await add_variable(server, nodes, index, "odd", names)
    motor = ua.Motor(
        name="M1",
        hours=2**64 - 1,
        mode=ua.Mode.AUTO,
        position=ua.Point(x=0.1, y=12.34),
        path=[ua.Point(x=1.0, y=2.0), ua.Point(x=3.0, y=4.0)],
        counts=[2**53 + 1],
        serial=b"\x01\x02",
        started=TIME,
        note=None,
    )
    await add_variable(server, nodes, index, "motor", ua.Variant(motor, TYPES.ExtensionObject))
    motors = ua.Variant([motor, motor], TYPES.ExtensionObject)
    await add_variable(server, nodes, index, "motors", motors)
    # A structure that the server does not describe, and one with fewer bytes than its type has.
    encoding = next(key for key, kind in ua.uatypes.extension_objects_by_typeid.items() if kind is ua.Motor)
    for name, node_id in (("alien", ua.NodeId(9999, index)), ("broken", encoding)):
        body = ua.ExtensionObject(TypeId=node_id, Body=b"\x05\x00\x00\x00ab")
        await add_variable(server, nodes, index, name, ua.Variant(body, TYPES.ExtensionObject), ua.NodeId(22))
    span = ua.Range(Low=-1.5, High=20.0)
    await add_variable(server, nodes, index, "range", ua.Variant(span, TYPES.ExtensionObject))
    unit = ua.EUInformation("urn:unit", 4408652, ua.LocalizedText("°C"), ua.LocalizedText("degree Celsius"))
    await add_variable(server, nodes, index, "unit", ua.Variant(unit, TYPES.ExtensionObject))


def shown(value):
    # The reader of the answers rounds larger numbers.
    return str(value) if isinstance(value, int) and abs(value) > 2**53 else value


def argument(name: str, kind: TYPES, rank: int = -1) -> ua.Argument:
    return ua.Argument(Name=name, DataType=ua.NodeId(kind.value), ValueRank=rank)


async def add_methods(server: Server, nodes: Nodes, index: int) -> None:
    plant = await server.nodes.objects.add_object(ua.NodeId("plant", index), ua.QualifiedName("plant", index))

    def record(name: str, result):
        @uamethod
        def method(parent, *arguments):
            nodes.calls.append([name, *map(shown, arguments)])
            return result

        return method

    async def add_method(name: str, inputs: list, outputs: list, method) -> None:
        await plant.add_method(ua.NodeId(name, index), ua.QualifiedName(name, index), method, inputs, outputs)

    def bad_argument(parent, *arguments):
        results = [ua.StatusCode(), ua.StatusCode(ua.StatusCodes.BadOutOfRange)]
        return ua.CallMethodResult(
            StatusCode=ua.StatusCode(ua.StatusCodes.BadInvalidArgument), InputArgumentResults=results
        )

    async def wait_for_ever(parent, *arguments):
        nodes.calls.append(["slow"])
        await asyncio.Event().wait()

    def status(code: int):
        return lambda parent, *arguments: ua.CallMethodResult(StatusCode=ua.StatusCode(code))

    two = [argument("speed", TYPES.Double), argument("ramp", TYPES.UInt16)]
    several = [
        argument("name", TYPES.String),
        argument("total", TYPES.Int64),
        argument("steps", TYPES.Int32, 1),
        argument("active", TYPES.Boolean),
    ]
    mode = await new_enum(server, index, "Shift", ["DAY", "NIGHT"])
    shift = ua.Argument(Name="shift", DataType=mode.nodeid, ValueRank=-1)
    await add_method("setShift", [shift], [], record("setShift", None))
    await add_method("reset", [], [], record("reset", None))
    await add_method("start", two, [], record("start", None))
    await add_method("setSpeed", [argument("speed", TYPES.Double)], [], record("setSpeed", None))
    await add_method("load", several, [argument("id", TYPES.Int32)], record("load", 5))
    results = [argument("id", TYPES.UInt64), argument("steps", TYPES.Int32, 1)]
    await add_method("measure", [], results, record("measure", (ua.Variant(2**64 - 1, TYPES.UInt64), [1, 2])))
    await add_method("refuse", two, [], bad_argument)
    await add_method("doubt", [], [], status(ua.StatusCodes.Uncertain))
    await add_method("expire", [], [], status(ua.StatusCodes.BadTimeout))
    await add_method("slow", [], [], wait_for_ever)
    await add_method("fail", [], [], status(ua.StatusCodes.BadInvalidState))
