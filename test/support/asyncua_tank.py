"""What the server on asyncua shows to those who browse it: an object with values of many kinds, units and ranges, a node that
contains the object above it, and a folder with as many values as wanted."""

from asyncua import Server, ua
from asyncua.common.structures104 import new_enum, new_struct, new_struct_field

from asyncua_nodes import Nodes

TYPES = ua.VariantType

# EUInformation of UNECE Recommendation 20 (OPC 10000-8, 5.6.3).
UNITS = "http://www.opcfoundation.org/UA/units/un/cefact"
DEGREE = ua.EUInformation(UNITS, 4408652, ua.LocalizedText("°C"), ua.LocalizedText("degree Celsius"))
BAR = ua.EUInformation(UNITS, 4342098, ua.LocalizedText("bar"), ua.LocalizedText("bar"))
SPAN = ua.Range(Low=-40.0, High=125.0)


async def add(server: Server, nodes: Nodes, index: int, many: int) -> None:
    tank = await server.nodes.objects.add_object(ua.NodeId("tank", index), ua.QualifiedName("Tank", index))
    await describe(tank, "The tank behind the boiler house")

    async def variable(name: str, value: ua.Variant, datatype=None, rank=None, dimensions=None):
        node = await tank.add_variable(
            ua.NodeId(f"tank.{name}", index), ua.QualifiedName(name, index), value, datatype=datatype
        )
        if rank is not None:
            await set_attribute(node, ua.AttributeIds.ValueRank, ua.Variant(rank, TYPES.Int32))
        if dimensions is not None:
            await set_attribute(node, ua.AttributeIds.ArrayDimensions, ua.Variant(dimensions, TYPES.UInt32))
        return node

    temperature = await variable("Temperature", ua.Variant(61.5, TYPES.Double))
    await describe(temperature, "Temperature half way up")
    await measure(temperature, DEGREE, SPAN)
    setpoint = await variable("Setpoint", ua.Variant(2.5, TYPES.Float))
    await setpoint.set_writable()
    nodes["tank.Setpoint"] = setpoint
    await measure(setpoint, BAR, None)
    mode = await new_enum(server, index, "Filling", ["EMPTY", "FILLING", "FULL"])
    await variable("State", ua.Variant(1, TYPES.Int32), datatype=mode.nodeid)
    await variable("Codes", ua.Variant([1, 2, 3, 4], TYPES.UInt16), rank=1, dimensions=[4])
    await variable("Grid", ua.Variant([[1, 2], [3, 4]], TYPES.Int16), rank=2, dimensions=[2, 2])
    await variable("Any", ua.Variant(7, TYPES.UInt32), datatype=ua.NodeId(24), rank=-2)
    await variable("Nothing", ua.Variant(None, TYPES.Null), datatype=ua.NodeId(24), rank=-2)
    await variable("a b/c", ua.Variant("text", TYPES.String))
    await variable("a b,c", ua.Variant("text", TYPES.String))
    seal, _ = await new_struct(server, index, "Seal", [new_struct_field("wear", TYPES.Double)])
    await server.load_data_type_definitions()
    held = ua.Variant(ua.Seal(wear=0.5), TYPES.ExtensionObject)
    structure = await variable("Seal", held, datatype=seal.nodeid)
    await structure.set_writable()
    nodes["tank.Seal"] = structure
    hidden = await variable("Hidden", ua.Variant(1, TYPES.Int32))
    for level in (ua.AttributeIds.AccessLevel, ua.AttributeIds.UserAccessLevel):
        await set_attribute(hidden, level, ua.Variant(0, TYPES.Byte))
    pump = await tank.add_object(ua.NodeId("tank.pump", index), ua.QualifiedName("Pump", index))
    await pump.add_variable(
        ua.NodeId("tank.pump.speed", index), ua.QualifiedName("Speed", index), ua.Variant(1450, TYPES.UInt32)
    )
    await pump.add_reference(tank, ua.ObjectIds.Organizes)
    folder = await server.nodes.objects.add_folder(ua.NodeId("many", index), ua.QualifiedName("Many", index))
    for number in range(many):
        await folder.add_variable(
            ua.NodeId(f"many.{number}", index),
            ua.QualifiedName(f"v{number}", index),
            ua.Variant(number, TYPES.Int32),
        )


async def describe(node, text: str) -> None:
    await set_attribute(node, ua.AttributeIds.Description, ua.Variant(ua.LocalizedText(text)))


async def set_attribute(node, attribute: ua.AttributeIds, variant: ua.Variant) -> None:
    await node.write_attribute(attribute, ua.DataValue(variant))


async def measure(node, unit: ua.EUInformation, span) -> None:
    await node.add_property(0, "EngineeringUnits", ua.Variant(unit, TYPES.ExtensionObject))
    if span is not None:
        await node.add_property(0, "EURange", ua.Variant(span, TYPES.ExtensionObject))
