import { UsageError } from '../command-error.ts';
import type { Item } from '../setting-edit.ts';

/** The settings that a target stands for, and a name for a driver of it. */
export interface ParsedTarget {
  readonly settings: Item;
  readonly name: string;
  /** Whether that name says only where it is, and the device may know a better one. */
  readonly isAddress?: boolean;
}

const ADDRESS = /^(?:\[([\dA-Fa-f:.]+)\]|([^\s:/[\]]+))(?::(\d{1,5}))?$/;
const IPV6 = /^[\dA-Fa-f]*:[\dA-Fa-f:.]*:[\dA-Fa-f:.]*$/;

/**
 * Parses where Modbus units are looked for: the path of a serial line, or a host with its port.
 *
 * @param target `/dev/ttyUSB0`, `192.0.2.20`, `plc:1502`, `2001:db8::7`, `[2001:db8::7]:502`
 * @throws {UsageError}
 */
export function parseModbusTarget(target: string): ParsedTarget {
  if (target.startsWith('/')) {
    return { settings: { transport: 'rtu', device: target }, name: target.replace(/^.*\//, '') };
  }
  if (IPV6.test(target)) return toNetwork(target, undefined);
  const [, bracketed, plain, digits] = ADDRESS.exec(target) ?? [];
  const host = bracketed ?? plain;
  const port = digits === undefined ? undefined : Number(digits);
  const isPort = port === undefined || (port >= 1 && port <= 65_535);
  if (host !== undefined && isPort) return toNetwork(host, port);
  throw new UsageError(`"${target}": expected HOST, HOST:PORT or the path of a serial line`);
}

function toNetwork(host: string, port: number | undefined): ParsedTarget {
  const settings = port === undefined ? { host } : { host, port };
  return { settings, name: `modbus-${host.replaceAll(':', '-')}${port === undefined ? '' : `-${port}`}` };
}
