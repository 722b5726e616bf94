import { startProgram } from './program.ts';
import type { ProgramOwner } from './program.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { pin } from './process-usage.ts';
import type { ModbusProcess } from '../support/modbus-process.ts';

/** The identity that clients log in as; its client certificate has the same name. */
export const OPERATOR = { name: 'operator', permissions: ['rest.assets'], password: 'correct-horse-9' };

export interface PlantAsset {
  readonly pid: string;
  readonly driver: string;
  readonly channels: readonly object[];
}

export interface PlantParts {
  readonly drivers: readonly object[];
  readonly assets: readonly PlantAsset[];
  readonly identities?: readonly object[];
  /** Settings beside those that switch on every way to authenticate. */
  readonly rest?: object;
  /** Other sections. */
  readonly more?: object;
}

/** Creates channels of one holding register each: integers, and every second one a scaled float. */
export function createChannels(offsets: readonly number[], unitId = 1): readonly object[] {
  return offsets.map((offset) => {
    const address = { unitId, table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' };
    const head = { name: `channel${String(offset).padStart(5, '0')}`, type: 'READ', address };
    return offset % 2 === 0
      ? { ...head, valueType: 'INTEGER', unit: 'rpm' }
      : { ...head, valueType: 'FLOAT', valueScale: 0.1, unit: 'degC' };
  });
}

/** Returns `count` numbers from `first` on. */
export function sequence(count: number, first = 0): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Creates the settings of a driver for a device on the loopback. */
export function createDriver(pid: string, port: number, more: object = {}): object {
  return { pid, type: 'modbus', host: '127.0.0.1', port, ...more };
}

/** Creates the content of `provision` with every way to authenticate switched on. */
export function createPlant({ drivers, assets, identities = [], rest = {}, more = {} }: PlantParts): object {
  return {
    ...more,
    rest: { basicAuthenticationEnabled: true, statelessCertificateAuthenticationEnabled: true, ...rest },
    identities: [OPERATOR, ...identities],
    drivers,
    assets,
  };
}

/** Starts a gateway on the core of servers. */
export async function startPlant(t: ProgramOwner, parts: PlantParts): Promise<RunningGateway> {
  const gateway = await startProgram(t, { config: { provision: createPlant(parts) } });
  pin(gateway.process.pid ?? 0, 'server');
  return gateway;
}

/** Starts a gateway with the assets `ten`, `hundred` and `thousand` on one device, named by their channels. */
export function startThreeSizes(t: ProgramOwner, device: ModbusProcess): Promise<RunningGateway> {
  const asset = (pid: string, count: number): PlantAsset => ({
    pid,
    driver: 'line',
    channels: createChannels(sequence(count)),
  });
  return startPlant(t, {
    drivers: [createDriver('line', device.port)],
    assets: [asset('ten', 10), asset('hundred', 100), asset('thousand', 1000)],
  });
}

/** Returns the path that reads an asset. */
export function readPath(pid: string): string {
  return `/services/assets/${pid}/_read`;
}

/** Logs in and returns the head fields that carry the session. */
export async function openSession(
  gateway: RunningGateway,
  { name, password }: { readonly name: string; readonly password: string } = OPERATOR,
): Promise<Record<string, string>> {
  const client = new SessionClient({ port: httpsPort(gateway) });
  const { status } = await client.login(name, password);
  if (status !== 200) throw new Error(`the login was answered with ${status}`);
  return { Cookie: client.cookie ?? '', 'X-XSRF-Token': client.xsrfToken ?? '' };
}

export function httpsPort({ httpsPorts: [port = 0] }: RunningGateway): number {
  return port;
}

export function clientAuthPort({ clientAuthPorts: [port = 0] }: RunningGateway): number {
  return port;
}

/** Returns a GET request as it goes over the wire. */
export function formatGet(path: string, fields: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
}
