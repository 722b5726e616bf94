import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

import { LinkEnded } from '../../bundles/mqtt/broker/broker-link.ts';
import { openMqttLink } from '../../bundles/mqtt/broker/mqtt-link.ts';
import { serveRemote } from '../bench/remote.ts';
import { createGateway } from './gateways.ts';
import type { Gateway, GatewayOptions } from './gateways.ts';
import { OutageClock } from './outage-clock.ts';

/** Senders of one process. */
export interface SenderOptions extends Omit<GatewayOptions, 'clock' | 'openLink'> {
  /** Number of the first gateway. */
  readonly first: number;
  readonly count: number;
}

/** State of the senders of a process. */
export interface SenderState {
  readonly connected: number;
  /** Samples that were not acknowledged. */
  readonly unacknowledged: number;
  /** Entries that are older than the connections and have not arrived. */
  readonly backlog: number;
  /** Sequence number of the newest sample of each gateway. */
  readonly newest: readonly (readonly [gateway: string, sequence: number])[];
  /** Connections since the end of the outage, each in milliseconds after it. */
  readonly returnsMs: readonly number[];
}

const clock = new OutageClock();
const gateways: Gateway[] = [];
const sockets = new Set<Socket>();
let isCut = false;
let returnedAtMs = performance.now();
let returnsMs: number[] = [];
let connected = 0;

// The library hides its socket, and an outage is no DISCONNECT.
subscribe('net.client.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});

serveRemote({ start, cut, settle, restore, end, state });

function start({ first, count, ...options }: SenderOptions): void {
  for (let index = first; index < first + count; index += 1) {
    const name = `gateway${String(index).padStart(5, '0')}`;
    gateways.push(createGateway(name, { ...options, clock, openLink }));
  }
  for (const { sender } of gateways) sender.start();
}

/** Resets all connections; until `restore` none is made, and time passes at this speed. */
function cut(speed: number): void {
  isCut = true;
  for (const socket of sockets) socket.resetAndDestroy();
  clock.setSpeed(speed);
}

/** Lets time pass as that of the machine. Returns the milliseconds by which the clock of the gateways is ahead of it. */
function settle(): number {
  clock.setSpeed(1);
  return clock.aheadMs;
}

/** Ends the outage. */
function restore(): void {
  returnedAtMs = performance.now();
  returnsMs = [];
  isCut = false;
}

/** Ends the recording on all gateways. */
function end(): void {
  for (const { journal } of gateways) journal.end();
}

function state(): SenderState {
  return {
    connected,
    unacknowledged: gateways.reduce((sum, { journal }) => sum + journal.unacknowledged, 0),
    backlog: gateways.reduce((sum, { sender }) => sum + sender.levels.backlog, 0),
    newest: gateways.map(({ name, journal }) => [name, journal.newest]),
    returnsMs,
  };
}

async function openLink(...given: Parameters<typeof openMqttLink>): ReturnType<typeof openMqttLink> {
  if (isCut) throw new LinkEnded('the network is down');
  const link = await openMqttLink(...given);
  returnsMs.push(performance.now() - returnedAtMs);
  connected += 1;
  void link.ended.then(() => (connected -= 1));
  return link;
}
