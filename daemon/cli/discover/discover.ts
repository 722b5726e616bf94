import { scanConnection, scanDevice } from '../../interface/plant/scans.ts';
import type { ScanResult } from '../../interface/plant/scans.ts';
import { CHANGE_OPTIONS } from '../configuration/change.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { fetchItems, getItem } from '../configuration/configured-item.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { listSettings } from '../configuration/setting.ts';
import { applySettings } from '../configuration/setting-edit.ts';
import type { Item } from '../configuration/setting-edit.ts';
import type { Options } from '../command-group.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';
import { addFound } from './add-found.ts';
import { findServerName, parseMeterTarget, parseModbusTarget, parseOpcuaTarget } from './scan-target.ts';
import { runScan, formatDiscovered } from './scan.ts';
import type { ScanEvents } from './scan.ts';

/** Options of every scan. */
const SCAN_OPTIONS = {
  limit: { value: 'SECONDS', help: 'stop the scan after this time and keep the results so far' },
  add: { help: 'add the results to the configuration' },
} as const satisfies Options;
const NEW_DRIVER = {
  pid: {
    value: 'PID',
    help: 'name of the driver that --add creates (default: from the server name or address)',
  },
} as const satisfies Options;
const MODBUS_OPTIONS = {
  units: { value: 'LIST', help: 'unit identifiers to scan, for example 1-10,255' },
  'no-ranges': { help: 'do not search for ranges of registers, coils and inputs' },
  pause: { value: 'MILLISECONDS', help: 'minimum pause after each response (default: 20)' },
  wait: { value: 'SECONDS', help: 'with :PORT: time to wait for devices that connect (default: 60)' },
} as const satisfies Options;

const METER_OPTIONS = {
  meters: {
    value: 'LIST',
    help: 'device addresses of the meters on a line with several, for example 12345678,12345679',
  },
} as const satisfies Options;

const TREE = {
  node: { value: 'NODE', help: 'NodeId below which to search for variables (default: the folder Objects)' },
  depth: { value: 'LEVELS', help: 'maximum number of levels below that node (default: 10)' },
  maximum: { value: 'COUNT', help: 'stop after this many variables (default: 1000)' },
} as const satisfies Options;

const TEXT =
  'Only reads, one request at a time with pauses. Ctrl-C stops the scan and shows the results so far. If a driver is configured for the device, the scan uses the connection of that driver; its assets are still served.';

const OPCUA_TEXT =
  'Only reads. Ctrl-C stops the scan and shows the results so far. Uses the strongest security that the server offers, unless --securityMode is given. If the certificate of the server is not trusted yet, only its endpoints are listed: add its driver, trust the certificate with "penstock driver trust PID", and search for variables with "penstock discover driver PID".';

const METER_TEXT =
  'Reads out meters by IEC 62056-21 and proposes a channel for each value: one request at 300 bit/s, then one at 9600 bit/s, then listens for meters that send without a request. Ctrl-C stops the scan. Other instruments have no common request and are not found. If a driver is configured for the line, the scan uses its connection.';

/** Scans for devices and generates configuration. */
export const discover = createCommandGroup('discover', 'scan for devices and their data', {
  modbus: {
    parameters: 'HOST[:PORT]|DEVICE|:PORT',
    summary: 'scan for Modbus units at an address, on a serial line or of a device that connects',
    text: `${TEXT}

With :PORT, listens on this port of the gateway and shows the devices that connect to it and that no driver expects, with the packet that each sends first. If it is only one, scans its units; otherwise choose one with an option such as --identify.registration PACKET.`,
    options: { ...MODBUS_OPTIONS, ...SCAN_OPTIONS, ...NEW_DRIVER, ...CHANGE_OPTIONS },
    settings: 'driver',
    examples: [
      'penstock discover modbus 192.0.2.20',
      'penstock discover modbus 192.0.2.20 --transport udp',
      'penstock discover modbus /dev/ttyUSB0 --units 1-10 --add',
      'penstock discover modbus :5020 --units 1-10',
    ],
    run: (invocation) => {
      const [target = ''] = invocation.words;
      const options = readModbusOptions(invocation);
      return discoverDevice(invocation, { type: 'modbus', ...parseModbusTarget(target), options });
    },
  },
  opcua: {
    parameters: 'URL',
    summary: 'show the endpoints of an OPC UA server and search for its variables',
    text: OPCUA_TEXT,
    options: { ...TREE, ...SCAN_OPTIONS, ...NEW_DRIVER, ...CHANGE_OPTIONS },
    settings: 'driver',
    examples: [
      'penstock discover opcua opc.tcp://192.0.2.7:4840',
      "penstock discover opcua 192.0.2.7 --node 'ns=2;s=Boiler' --add --pid plc",
    ],
    run: (invocation) => {
      const [target = ''] = invocation.words;
      const options = readTreeOptions(invocation);
      return discoverDevice(invocation, { type: 'opcua', ...parseOpcuaTarget(target), options });
    },
  },
  serial: {
    parameters: 'DEVICE',
    summary: 'read out the meters (IEC 62056-21) on a serial line',
    text: METER_TEXT,
    options: { ...METER_OPTIONS, ...SCAN_OPTIONS, ...NEW_DRIVER, ...CHANGE_OPTIONS },
    settings: 'driver',
    examples: [
      'penstock discover serial /dev/ttyUSB0',
      'penstock discover serial /dev/ttyUSB0 --add --pid opticalHead',
      'penstock discover serial /dev/ttyUSB0 --framing.wakeUp true',
    ],
    run: (invocation) => {
      const [target = ''] = invocation.words;
      const options = readMeterOptions(invocation);
      return discoverDevice(invocation, { type: 'serial', ...parseMeterTarget(target), options });
    },
  },
  driver: {
    parameters: 'PID',
    names: ['driver'],
    summary: 'scan for devices over a configured connection',
    text: TEXT,
    options: { ...MODBUS_OPTIONS, ...METER_OPTIONS, ...TREE, ...SCAN_OPTIONS, ...CHANGE_OPTIONS },
    examples: ['penstock discover driver line1 --units 1-32', 'penstock discover driver plc --add'],
    run: async (invocation) => {
      const [pid = ''] = invocation.words;
      getItem(await fetchItems(invocation.client, 'drivers'), 'driver', pid);
      const options = {
        ...readModbusOptions(invocation),
        ...readMeterOptions(invocation),
        ...readTreeOptions(invocation),
      };
      const body = { options, ...readLimit(invocation) };
      const { client, terminal } = invocation;
      const request = { parameters: { pid }, body, signal: terminal.stopSignal };
      await show(invocation, client.follow(scanConnection, request), { pid });
    },
  },
});

interface DeviceTarget {
  readonly type: string;
  readonly settings: Item;
  /** Default pid of a driver for it. */
  readonly name: string;
  /** True if that name is only an address. */
  readonly isAddress?: boolean;
  readonly options: Item;
}

/** Scans a device, configured or not. */
async function discoverDevice(invocation: Invocation, target: DeviceTarget): Promise<void> {
  const { client, settings: given, terminal } = invocation;
  const { type, name, options } = target;
  const schema = await fetchSchema(client);
  const known = listSettings(schema.getDriver(type)).filter(({ path }) => path !== 'pid' && path !== 'type');
  const settings = await applySettings(target.settings, given, { known, terminal });
  const body = { type, settings, options, ...readLimit(invocation) };
  const { pid } = invocation.options;
  const naming = typeof pid === 'string' ? { pid } : { pid: name, prefersServerName: target.isAddress };
  const events = client.follow(scanDevice, { body, signal: terminal.stopSignal });
  await show(invocation, events, naming);
}

/** Naming of a new driver. */
interface Naming {
  readonly pid: string;
  /** True: prefer the name reported by the server. */
  readonly prefersServerName?: boolean | undefined;
}

async function show(
  invocation: Invocation,
  events: ScanEvents,
  { pid, prefersServerName }: Naming,
): Promise<void> {
  const { options, terminal, isJson } = invocation;
  const isAdded = options['add'] === true;
  if (options['dry-run'] === true && !isAdded) throw new UsageError('--dry-run requires --add');
  const discovered = await runScan(invocation, events);
  const { findings, result, failure } = discovered;
  // JSON output is a single document: with --add the plan of the change.
  if (!(isJson && isAdded) && (findings.length > 0 || failure === undefined)) {
    invocation.show({ findings, ...result }, () => formatDiscovered(discovered));
  }
  if (failure !== undefined) throw failure;
  if (result === undefined) {
    terminal.note(`scan stopped; the results may be incomplete\n`);
    if (!isAdded) return;
    throw new CommandError({ code: 'SCAN_STOPPED', detail: 'nothing was added' });
  }
  const own = prefersServerName === true ? findServerName(findings) : undefined;
  if (isAdded) await addFound(invocation, result, own === undefined ? [pid] : [own, pid]);
  else if (!isJson) terminal.note(describeAdding(result));
}

function describeAdding({ connection, assets }: ScanResult): string {
  if (assets.length > 0) return 'repeat with --add to add them\n';
  return connection?.isRefusing === true ? 'repeat with --add to create a driver for it\n' : '';
}

function readModbusOptions(invocation: Invocation): Item {
  const { units, 'no-ranges': noRanges } = invocation.options;
  const pauseMs = readNumber(invocation, 'pause', 'milliseconds');
  const waitSeconds = readNumber(invocation, 'wait', 'seconds');
  return {
    ...(typeof units === 'string' ? { units } : {}),
    ...(noRanges === true ? { ranges: false } : {}),
    ...(pauseMs === undefined ? {} : { pauseMs }),
    ...(waitSeconds === undefined ? {} : { waitSeconds }),
  };
}

function readMeterOptions({ options: { meters } }: Invocation): Item {
  return typeof meters === 'string' ? { meters } : {};
}

function readTreeOptions(invocation: Invocation): Item {
  const { node } = invocation.options;
  const depth = readNumber(invocation, 'depth', 'levels');
  const maximumVariables = readNumber(invocation, 'maximum', 'variables');
  return {
    ...(typeof node === 'string' ? { node } : {}),
    ...(depth === undefined ? {} : { depth }),
    ...(maximumVariables === undefined ? {} : { maximumVariables }),
  };
}

function readLimit(invocation: Invocation): Item {
  const limitSeconds = readNumber(invocation, 'limit', 'seconds');
  return limitSeconds === undefined ? {} : { limitSeconds };
}

function readNumber({ options }: Invocation, name: string, unit: string): number | undefined {
  return readWholeNumber(options, name, { unit, maximum: 99_999 });
}
