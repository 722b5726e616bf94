import { GatewayError } from '../base/errors.ts';

/** The protocols over which the simulated plant can be reached. */
export const PLANT_PROTOCOLS = ['modbus-tcp', 'modbus-udp', 'modbus-rtu', 'serial', 'opcua'] as const;
export type PlantProtocol = (typeof PLANT_PROTOCOLS)[number];

/** A protocol over which the plant can be reached, or the connection that it opens to a gateway. */
export interface OpenProtocol {
  readonly protocol: PlantProtocol | 'modbus-call';
  /** Address of the protocol or of the gateway: `127.0.0.1:1502`, `/dev/pts/3`, `opc.tcp://127.0.0.1:4840`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Endpoints of the plant by protocol. */
export type PlantEndpoints = Readonly<Partial<Record<PlantProtocol, string>>>;

/** The simulated plant cannot be opened with these options. */
export class PlantError extends GatewayError {}

/** This machine lacks a requirement of a protocol; the other protocols can still run. */
export class ProtocolUnavailable extends PlantError {}

const READY = 'ready';

/** Returns the line of output that announces a protocol. */
export function announceProtocol({ protocol, endpoint }: OpenProtocol): string {
  return `${protocol} ${endpoint}\n`;
}

/** The line of output after the last protocol. */
export const ANNOUNCE_READY = `${READY}\n`;

/** Creates a parser of announcements, line by line; it returns all endpoints at the last line, and undefined before. */
export function createAnnouncementReader(): (line: string) => PlantEndpoints | undefined {
  const endpoints: Partial<Record<PlantProtocol, string>> = {};
  return (line) => {
    if (line === READY) return endpoints;
    const [name, endpoint] = line.split(' ');
    const protocol = PLANT_PROTOCOLS.find((known) => known === name);
    if (protocol !== undefined && endpoint !== undefined) endpoints[protocol] = endpoint;
    return undefined;
  };
}
