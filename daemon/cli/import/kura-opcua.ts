import type { Item } from './imported.ts';
import { UnsupportedEntry, withoutGaps, lookUp } from './imported.ts';
import type { KuraProperties } from './kura-properties.ts';

const ID_TYPES: Readonly<Record<string, string>> = { NUMERIC: 'i', STRING: 's', GUID: 'g', OPAQUE: 'b' };
const DATA_TYPES: Readonly<Record<string, string>> = {
  BOOLEAN: 'Boolean',
  SBYTE: 'SByte',
  INT16: 'Int16',
  INT32: 'Int32',
  INT64: 'Int64',
  BYTE: 'Byte',
  UINT16: 'UInt16',
  UINT32: 'UInt32',
  UINT64: 'UInt64',
  FLOAT: 'Float',
  DOUBLE: 'Double',
  STRING: 'String',
  BYTE_STRING: 'ByteString',
  BYTE_ARRAY: 'Byte',
  SBYTE_ARRAY: 'SByte',
};
// The console of Kura stores the policy by its number, its REST interface by its address.
const POLICIES: Readonly<Record<string, string>> = {
  '': 'None',
  '0': 'None',
  '1': 'Basic128Rsa15',
  '2': 'Basic256',
  '3': 'Basic256Sha256',
};

/**
 * Converts the address of a channel.
 *
 * @param properties those of the driver; used ones are removed
 * @throws {UnsupportedEntry}
 */
export function convertOpcuaAddress(properties: KuraProperties): Item {
  const id = properties.take('node.id');
  const namespace = properties.takeNumber('node.namespace.index') ?? 2;
  const idType = properties.take('node.id.type') ?? 'STRING';
  const type = properties.take('opcua.type') ?? 'DEFINED_BY_JAVA_TYPE';
  const attribute = properties.take('attribute') ?? 'Value';
  const samplingIntervalMs = properties.takeNumber('listen.sampling.interval');
  const queueSize = properties.takeNumber('listen.queue.size');
  // Defaults of Kura.
  properties.takeIf('listen.discard.oldest', 'true');
  properties.takeIf('listen.subscribe.to.children', 'false');
  if (id === undefined) throw new UnsupportedEntry('node.id is missing');
  const letter = lookUp(ID_TYPES, idType);
  if (letter === undefined) throw new UnsupportedEntry(`node.id.type ${idType} is not supported`);
  const dataType = lookUp(DATA_TYPES, type);
  if (dataType === undefined && type !== 'DEFINED_BY_JAVA_TYPE') {
    throw new UnsupportedEntry(`opcua.type ${type} is not supported`);
  }
  return withoutGaps({
    nodeId: `ns=${namespace};${letter}=${id}`,
    attribute: attribute === 'Value' ? undefined : attribute,
    dataType,
    samplingIntervalMs,
    queueSize,
  });
}

/**
 * Converts the settings of a connection; keystores and users are not among them.
 *
 * @throws {UnsupportedEntry}
 */
export function convertOpcuaDriver(properties: KuraProperties): Item {
  const host = properties.take('endpoint.ip');
  const port = properties.takeNumber('endpoint.port');
  const path = properties.take('server.name') ?? '';
  const policy = properties.take('security.policy') ?? '';
  if (host === undefined || port === undefined)
    throw new UnsupportedEntry('endpoint.ip or endpoint.port is missing');
  const securityPolicy = lookUp(POLICIES, policy) ?? policy.slice(policy.indexOf('#') + 1);
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    type: 'opcua',
    endpointUrl: `opc.tcp://${server}${path === '' ? '' : `/${path}`}`,
    ...(securityPolicy === 'None' ? { securityMode: 'NONE' } : { securityPolicy }),
  };
}
