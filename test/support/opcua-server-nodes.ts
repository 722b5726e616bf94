import { AccessLevelFlag, DataType, StatusCodes, Variant, VariantArrayType, coerceNodeId } from 'node-opcua';
import type { AddressSpace, UAVariable } from 'node-opcua';

/** URI of the namespace in which all nodes are. */
export const NAMESPACE = 'urn:penstock:test';

/** Source timestamp of the node `aged`. */
export const AGED_MS = Date.UTC(2020, 0, 1);

interface Held {
  readonly dataType: DataType;
  readonly value: unknown;
  readonly arrayType?: VariantArrayType;
  readonly dimensions?: number[];
  /** Number of the DataType of the node, where it is another than that of the value. */
  readonly nodeType?: number;
}

/** The values of the nodes with these names; those under `writable.` hold the same and can be written. */
export const VALUES: Readonly<Record<string, Held>> = {
  boolean: { dataType: DataType.Boolean, value: true },
  sbyte: { dataType: DataType.SByte, value: -128 },
  byte: { dataType: DataType.Byte, value: 255 },
  int16: { dataType: DataType.Int16, value: -32_768 },
  uint16: { dataType: DataType.UInt16, value: 65_535 },
  int32: { dataType: DataType.Int32, value: -2_147_483_648 },
  uint32: { dataType: DataType.UInt32, value: 4_294_967_295 },
  // 9007199254740993
  int64: { dataType: DataType.Int64, value: [0x0020_0000, 1] },
  uint64: { dataType: DataType.UInt64, value: [0xffff_ffff, 0xffff_ffff] },
  float: { dataType: DataType.Float, value: Math.fround(12.34) },
  double: { dataType: DataType.Double, value: 0.1 },
  string: { dataType: DataType.String, value: 'Kessel' },
  dateTime: { dataType: DataType.DateTime, value: new Date(1_700_000_000_123) },
  guid: { dataType: DataType.Guid, value: '72962B91-FA75-4AE6-8D28-B404DC7DAF63' },
  byteString: { dataType: DataType.ByteString, value: Buffer.from([1, 2, 3]) },
  localizedText: { dataType: DataType.LocalizedText, value: { text: 'Vorlauf', locale: 'de' } },
  array: { dataType: DataType.Int16, arrayType: VariantArrayType.Array, value: Int16Array.of(1, 2, 3) },
  matrix: {
    dataType: DataType.Int16,
    arrayType: VariantArrayType.Matrix,
    value: Int16Array.of(1, 2, 3, 4, 5, 6),
    dimensions: [2, 3],
  },
  bytes: { dataType: DataType.Byte, arrayType: VariantArrayType.Array, value: Uint8Array.of(4, 5, 6) },
  // The data type of the node is Number; only its value shows the type.
  number: { dataType: DataType.Int32, value: 7, nodeType: 26 },
};

/** The largest value of the node `limited`, which takes a larger one as this and says so; no browse finds it. */
export const LARGEST = 60;

function addLimited(variable: UAVariable, value: number): { held: number } {
  const state = { held: value };
  variable.bindVariable(
    {
      get: () => new Variant({ dataType: DataType.Double, value: state.held }),
      set: ({ value: written }: Variant) => {
        state.held = Math.min(Number(written), LARGEST);
        return state.held < Number(written) ? StatusCodes.GoodClamped : StatusCodes.Good;
      },
    },
    true,
  );
  return state;
}

/** The nodes while the server runs. */
interface TestNodes {
  takeWrites(): readonly unknown[];
  /** Gives the writable nodes the values that they had at first. */
  restore(): void;
  replace(name: string, like: string): void;
  replaceMethod(argumentType: string): void;
}

/** Fills the address space. */
export function addNodes(
  addressSpace: AddressSpace,
  { bulkNodes }: { readonly bulkNodes: number },
): TestNodes {
  const namespace = addressSpace.registerNamespace(NAMESPACE);
  const folder = namespace.addFolder(addressSpace.rootFolder.objects, { browseName: 'Test' });
  const plant = namespace.addObject({ componentOf: folder, browseName: 'plant', nodeId: 's=plant' });
  const writes: unknown[] = [];
  const add = (name: string, held: Held, options: object = {}): UAVariable => {
    const { dataType, arrayType = VariantArrayType.Scalar, dimensions } = held;
    const nodeType: number = held.nodeType ?? dataType;
    const variable = namespace.addVariable({
      componentOf: folder,
      browseName: name,
      nodeId: `s=${name}`,
      dataType: `ns=0;i=${nodeType}`,
      valueRank: arrayType === VariantArrayType.Scalar ? -1 : (dimensions?.length ?? 1),
      ...(dimensions === undefined ? {} : { arrayDimensions: dimensions }),
      accessLevel: 'CurrentRead',
      minimumSamplingInterval: 10,
      ...options,
    });
    variable.setValueFromSource(toVariant(held));
    return variable;
  };
  const writables = new Map<UAVariable, Held>();
  const addWritable = (name: string, held: Held): void => {
    const variable = add(`writable.${name}`, held, { accessLevel: 'CurrentRead | CurrentWrite' });
    writables.set(variable, held);
    variable.on('value_changed', ({ value }) => writes.push({ name, value: toText(value.value) }));
  };
  for (const [name, held] of Object.entries(VALUES)) {
    add(name, held);
    addWritable(name, held);
  }
  // Every value of it is sampled, however soon the next one follows.
  const exact = { dataType: DataType.Int32, value: 0 };
  const exactOptions = { accessLevel: 'CurrentRead | CurrentWrite', minimumSamplingInterval: 0 };
  writables.set(add('exact', exact, exactOptions), exact);
  const number = { dataType: DataType.Double, value: 1.5 };
  const five = new Variant(number);
  add('bad', number).setValueFromSource(five, StatusCodes.BadSensorFailure);
  add('uncertain', number).setValueFromSource(five, StatusCodes.UncertainLastUsableValue);
  add('aged', number).setValueFromSource(five, StatusCodes.Good, new Date(AGED_MS));
  add('empty', { dataType: DataType.String, value: null });
  add('denied', number, { accessLevel: AccessLevelFlag.NONE });
  // A read of it waits for ever.
  add('silent', number).bindVariable({ refreshFunc: () => undefined }, true);
  const limited = addLimited(
    add('limited', number, { componentOf: undefined, accessLevel: 'CurrentRead | CurrentWrite' }),
    number.value,
  );
  for (let index = 0; index < bulkNodes; index += 1) {
    add(`bulk.${index}`, { dataType: DataType.Int32, value: index });
  }
  return {
    takeWrites: () => writes.splice(0),
    restore() {
      for (const [variable, held] of writables) variable.setValueFromSource(toVariant(held));
      limited.held = number.value;
      writes.length = 0;
    },
    replace(name, like) {
      const held = VALUES[like];
      const former = namespace.findNode(`s=writable.${name}`);
      if (held === undefined || former === null) throw new RangeError(`no node ${name} or ${like}`);
      writables.delete(former as UAVariable);
      namespace.deleteNode(former);
      addWritable(name, held);
    },
    replaceMethod(argumentType) {
      const former = namespace.findNode('s=call');
      if (former !== null) namespace.deleteNode(former);
      const method = namespace.addMethod(plant, {
        browseName: 'call',
        nodeId: 's=call',
        inputArguments: [{ name: 'value', dataType: coerceNodeId(DataType[argumentType as 'Int16']) }],
        outputArguments: [],
      });
      method.bindMethod((given, _context, callback) => {
        writes.push({ name: 'call', value: given[0]?.value as unknown });
        callback(null, { statusCode: StatusCodes.Good });
      });
    },
  };
}

/** Adds a namespace with one node, `late`. */
export function addLateNode(addressSpace: AddressSpace, uri: string): void {
  const namespace = addressSpace.registerNamespace(uri);
  const variable = namespace.addVariable({
    organizedBy: addressSpace.rootFolder.objects,
    browseName: 'late',
    nodeId: 's=late',
    dataType: DataType.Double,
    minimumSamplingInterval: 10,
  });
  variable.setValueFromSource({ dataType: DataType.Double, value: 1.5 });
}

function toVariant({ dataType, arrayType = VariantArrayType.Scalar, value, dimensions }: Held): Variant {
  return new Variant({ dataType, arrayType, value, ...(dimensions === undefined ? {} : { dimensions }) });
}

function toText(value: unknown): unknown {
  return value instanceof Buffer ? value.toString('hex') : value;
}
