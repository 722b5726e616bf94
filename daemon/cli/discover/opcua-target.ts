import { UsageError } from '../command-error.ts';
import type { ParsedTarget } from './modbus-target.ts';
import { isAddress } from './name-found.ts';

const SCHEME = /^opc\.tcp:\/\//i;

/**
 * Parses where an OPC UA server is looked for.
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
