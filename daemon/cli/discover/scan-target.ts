import { isIP } from 'node:net';

import { UsageError } from '../command-error.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { toPid } from '../import/name.ts';
import type { ScanFinding } from '../../interface/plant/scans.ts';

/** Driver settings of a target, and a name for its driver. */
interface ParsedTarget {
  readonly settings: Item;
  readonly name: string;
  /** True if the name is only an address and the device may report a better one. */
  readonly isAddress?: boolean;
}

const ADDRESS = /^(?:\[([\dA-Fa-f:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/;
// Drivers cannot open the ports below.
const FIRST_OWN_PORT = 1024;
const OWN_PORT = /^:(\d{1,5})$/;
const IPV6 = /^[\dA-Fa-f]*:[\dA-Fa-f:.]*:[\dA-Fa-f:.]*$/;

/**
 * Parses the target of a Modbus scan: path of a serial line, host with optional port, or port of the gateway.
 *
 * @param target `/dev/ttyUSB0`, `192.0.2.20`, `plc:1502`, `2001:db8::7`, `[2001:db8::7]:502`, `:5020`
 * @throws {UsageError}
 */
export function parseModbusTarget(target: string): ParsedTarget {
  if (target.startsWith('/')) {
    return { settings: { transport: 'rtu', device: target }, name: target.replace(/^.*\//, '') };
  }
  const [, listenPort] = OWN_PORT.exec(target) ?? [];
  if (Number(listenPort) >= FIRST_OWN_PORT && Number(listenPort) <= 65_535) {
    const settings = { transport: 'tcp-listen', listenPort: Number(listenPort) };
    return { settings, name: `modbus-port-${listenPort}` };
  }
  if (IPV6.test(target)) return toNetwork(target, undefined);
  const [, bracketed, plain, digits] = ADDRESS.exec(target) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? undefined : Number(digits);
  const isPort = port === undefined || (port >= 1 && port <= 65_535);
  if (host !== undefined && isPort) return toNetwork(host, port);
  throw new UsageError(
    `"${target}": expected HOST, HOST:PORT, the path of a serial line, or :PORT from 1024 for devices that connect`,
  );
}

function toNetwork(host: string, port: number | undefined): ParsedTarget {
  const settings = port === undefined ? { host } : { host, port };
  return { settings, name: `modbus-${host.replaceAll(':', '-')}${port === undefined ? '' : `-${port}`}` };
}

/**
 * Parses the target of a scan for meters: path of a serial line.
 *
 * @throws {UsageError}
 */
export function parseMeterTarget(target: string): ParsedTarget {
  if (!target.startsWith('/')) throw new UsageError(`"${target}": expected the path of a serial line`);
  const settings = { device: target, framing: { type: 'IEC62056_21' } };
  return { settings, name: target.replace(/^.*\//, '') };
}

const SCHEME = /^opc\.tcp:\/\//i;

/**
 * Parses the target of an OPC UA scan.
 *
 * @param target `opc.tcp://192.0.2.7:4840/path`, or without the scheme
 * @throws {UsageError}
 */
export function parseOpcuaTarget(target: string): ParsedTarget {
  const endpointUrl = SCHEME.test(target) ? target : `opc.tcp://${target}`;
  const plain = endpointUrl.replace(SCHEME, 'http://');
  if (/:\/\//.test(target.replace(SCHEME, '')) || !URL.canParse(plain)) {
    throw new UsageError(`"${target}": expected a URL as opc.tcp://192.0.2.7:4840`);
  }
  const host = new URL(plain).hostname.replace(/^\[(.*)\]$/, '$1');
  const [, port] = /:(\d{1,5})(?=[/?#]|$)/.exec(plain.replace(/^http:\/\/(?:\[[^\]]*\])?/, '')) ?? [];
  const name = `opcua-${host.replaceAll(':', '-')}${port === undefined ? '' : `-${port}`}`;
  return { settings: { endpointUrl }, name, isAddress: isAddress(host) };
}

const MAXIMUM_PID_LENGTH = 64;

/** Returns true if a name is only an address. */
export function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === 'localhost';
}

/**
 * Returns the name reported by the server as a pid; undefined without a name, and with several servers.
 */
export function findServerName(findings: readonly ScanFinding[]): string | undefined {
  const names = findings.filter(({ kind }) => kind === 'SERVER').map(({ fields }) => fields['name']);
  const [name, ...others] = new Set(names);
  if (typeof name !== 'string' || others.length > 0) return undefined;
  const pid = toPid(name).slice(0, MAXIMUM_PID_LENGTH).replace(/_+$/, '');
  return pid === '' ? undefined : pid;
}
