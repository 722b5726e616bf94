import type { Item } from './imported.ts';
import { UnsupportedEntry, withoutGaps, lookUp } from './imported.ts';
import type { NeuronNode } from './neuron-shape.ts';

/** Driver settings, the address format of its tags, and the node settings without counterpart. */
export interface ConvertedNode {
  readonly settings: Item;
  readonly speaks: 'modbus' | 'opcua';
  readonly rest: readonly string[];
}

// "Data Type" in the documentation of the HTTP API of Neuron: serial port.
const BAUD_RATES = [115_200, 57_600, 38_400, 19_200, 9600, 4800, 2400, 1800, 1200, 600, 300, 200, 150];
const PARITIES = ['none', 'odd', 'even'];
const EIGHT_DATA_BITS = 3;
// Numbers of MessageSecurityMode (OPC 10000-4, 7.20).
const SECURITY_MODES: Readonly<Record<string, string>> = { 1: 'NONE', 2: 'SIGN', 3: 'SIGN_AND_ENCRYPT' };

// They concern the tags, not the connection.
const OF_TAGS: ReadonlySet<string> = new Set(['endianess', 'endianess_64', 'address_base']);

/**
 * Converts a node that connects to a device.
 *
 * @throws {UnsupportedEntry} for unsupported protocols and settings
 */
export function convertNode({ plugin, params }: NeuronNode): ConvertedNode {
  const unused = new Set(Object.keys(params).filter((key) => !OF_TAGS.has(key)));
  const take = (key: string): unknown => {
    unused.delete(key);
    // JSON may have 1e999.
    if (Math.abs(Number(params[key])) === Infinity) throw new UnsupportedEntry(`${key} is too large`);
    return params[key];
  };
  const convert = lookUp(CONVERTERS, plugin.toLowerCase());
  if (convert === undefined) throw new UnsupportedEntry(`no driver supports ${plugin}`);
  const settings = withoutGaps(convert(take));
  return { settings, speaks: settings['type'] === 'opcua' ? 'opcua' : 'modbus', rest: [...unused] };
}

type Take = (key: string) => unknown;

const CONVERTERS: Readonly<Record<string, (take: Take) => Item>> = {
  'modbus tcp': convertTcp,
  'modbus tcp qh': convertTcp,
  'modbus plus tcp': convertTcp,
  'modbus rtu': convertRtu,
  'modbus plus rtu': convertRtu,
  'opc ua': convertOpcua,
};

function convertTcp(take: Take): Item {
  const transport = take('transport_mode') === 1 ? { transport: 'udp' } : {};
  return { type: 'modbus', ...transport, ...convertNetwork(take), ...convertTimes(take) };
}

function convertRtu(take: Take): Item {
  const times = convertTimes(take);
  if (take('link') === 1)
    return { type: 'modbus', transport: 'rtu-over-tcp', ...convertNetwork(take), ...times };
  const device = take('device');
  if (typeof device !== 'string' || device === '') throw new UnsupportedEntry('device is missing');
  if ((take('data') ?? EIGHT_DATA_BITS) !== EIGHT_DATA_BITS)
    throw new UnsupportedEntry('Modbus RTU has 8 data bits');
  // Exports contain these Ethernet settings too.
  for (const key of ['host', 'port', 'connection_mode']) take(key);
  return {
    type: 'modbus',
    transport: 'rtu',
    device,
    baudRate: choose('baud', take('baud') ?? 4, BAUD_RATES),
    parity: choose('parity', take('parity') ?? 0, PARITIES),
    stopBits: choose('stop', take('stop') ?? 0, [1, 2]),
    ...times,
  };
}

function convertNetwork(take: Take): Item {
  const host = take('host');
  // The export does not contain what the device sends first.
  if (take('connection_mode') === 1) {
    const settings = `transport: tcp-listen, listenPort: ${String(take('port'))} and identify`;
    throw new UnsupportedEntry(`the device connects to the gateway; add its driver with ${settings}`);
  }
  if (typeof host !== 'string' || host === '') throw new UnsupportedEntry('host is missing');
  return { host, port: take('port') };
}

function convertTimes(take: Take): Item {
  return {
    responseTimeoutMs: take('timeout'),
    delayBetweenRequestsMs: take('interval'),
    retries: take('max_retries'),
  };
}

function convertOpcua(take: Take): Item {
  const url = take('url');
  if (typeof url !== 'string' || url === '') throw new UnsupportedEntry('url is missing');
  const userName = take('username');
  const password = take('password');
  const hasUser = typeof userName === 'string' && userName !== '';
  const mode = take('security_mode');
  const securityMode = lookUp(SECURITY_MODES, String(mode)) ?? (hasUser ? 'SIGN_AND_ENCRYPT' : 'NONE');
  if (hasUser && securityMode === 'NONE') {
    throw new UnsupportedEntry(
      'a user name requires encryption to protect the password; choose a security_mode',
    );
  }
  for (const key of ['cert', 'key']) if ((take(key) ?? '') !== '') throw new UnsupportedEntry(CERTIFICATE);
  return {
    type: 'opcua',
    endpointUrl: url,
    securityMode,
    ...(hasUser ? { userName, password } : {}),
  };
}

const CERTIFICATE = 'the gateway has its own certificate, which the server must trust';

function choose<T>(key: string, number: unknown, table: readonly T[]): T {
  const value = typeof number === 'number' ? table[number] : undefined;
  if (value === undefined) throw new UnsupportedEntry(`${key} ${String(number)} is not supported`);
  return value;
}
