import protobuf from 'protobufjs';

const VALUES = {
  intValue: 'uint32',
  longValue: 'uint64',
  floatValue: 'float',
  doubleValue: 'double',
  booleanValue: 'bool',
  stringValue: 'string',
} as const;

/** Sparkplug B's schema of payloads: names, types and numbers of its fields, without extensions and metadata. */
const SCHEMA = protobuf.Root.fromJSON({
  nested: withEdition({
    Payload: {
      fields: {
        ...field('timestamp', 'uint64', 1),
        ...field('metrics', 'Metric', 2, 'repeated'),
        ...field('seq', 'uint64', 3),
        ...field('uuid', 'string', 4),
        ...field('body', 'bytes', 5),
      },
    },
    Metric: {
      oneofs: { value: { oneof: [...Object.keys(VALUES), 'bytesValue', 'datasetValue', 'templateValue'] } },
      fields: {
        ...field('name', 'string', 1),
        ...field('alias', 'uint64', 2),
        ...field('timestamp', 'uint64', 3),
        ...field('datatype', 'uint32', 4),
        ...field('isHistorical', 'bool', 5),
        ...field('isTransient', 'bool', 6),
        ...field('isNull', 'bool', 7),
        ...field('properties', 'PropertySet', 9),
        ...values(10),
        ...field('bytesValue', 'bytes', 16),
        ...field('datasetValue', 'DataSet', 17),
        ...field('templateValue', 'Template', 18),
      },
    },
    PropertySet: {
      fields: {
        ...field('keys', 'string', 1, 'repeated'),
        ...field('values', 'PropertyValue', 2, 'repeated'),
      },
    },
    PropertySetList: { fields: field('propertyset', 'PropertySet', 1, 'repeated') },
    PropertyValue: {
      oneofs: { value: { oneof: [...Object.keys(VALUES), 'propertysetValue', 'propertysetsValue'] } },
      fields: {
        ...field('type', 'uint32', 1),
        ...field('isNull', 'bool', 2),
        ...values(3),
        ...field('propertysetValue', 'PropertySet', 9),
        ...field('propertysetsValue', 'PropertySetList', 10),
      },
    },
    DataSet: {
      fields: {
        ...field('numOfColumns', 'uint64', 1),
        ...field('columns', 'string', 2, 'repeated'),
        ...field('types', 'uint32', 3, 'repeated'),
        ...field('rows', 'Row', 4, 'repeated'),
      },
    },
    Row: { fields: field('elements', 'DataSetValue', 1, 'repeated') },
    DataSetValue: { oneofs: { value: { oneof: Object.keys(VALUES) } }, fields: values(1) },
    Template: { fields: field('version', 'string', 1) },
  }),
});

/** The type of payloads. */
export const PAYLOAD = SCHEMA.lookupType('Payload');

function field(name: string, type: string, id: number, rule?: 'repeated'): Record<string, protobuf.IField> {
  return { [name]: { type, id, ...(rule === undefined ? {} : { rule }) } };
}

function values(first: number): Record<string, protobuf.IField> {
  return Object.fromEntries(
    Object.entries(VALUES).map(([name, type], index) => [name, { type, id: first + index }]),
  );
}

/** In this edition, a value that is the default of its type is present if it was sent. */
function withEdition(types: Record<string, protobuf.IType>): Record<string, protobuf.IType> {
  for (const type of Object.values(types)) type.edition = 'proto2';
  return types;
}
