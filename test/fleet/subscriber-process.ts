import { connect } from 'mqtt';
import type { MqttClient } from 'mqtt';

import { serveRemote } from '../bench/remote.ts';
import type { Protocol } from './gateways.ts';
import { Ledger } from './ledger.ts';
import type { LedgerFindings } from './ledger.ts';
import { createReader } from './received-messages.ts';
import type { MessageReader, ReceivedMessage } from './received-messages.ts';

/** Messages that came since the previous count. */
export interface FleetCount {
  readonly live: number;
  readonly backlog: number;
  readonly backlogSamples: number;
  /** 99 % of the live messages came so many milliseconds after their oldest sample was taken, or earlier. */
  readonly liveP99Ms: number;
}

/** Findings about all gateways and messages. */
export interface FleetFindings extends LedgerFindings {
  /** Rules of the protocol that messages broke, in words. */
  readonly violations: readonly string[];
}

const ledger = new Ledger();
let reader: MessageReader | undefined;
let ages: number[] = [];
let [backlog, backlogSamples] = [0, 0];
/** Milliseconds by which the clocks of the gateways are ahead of that of this machine. */
let aheadMs: (gateway: string) => number = () => 0;

serveRemote({ listen, whenListening, setClocks, count, findings });

interface Listening {
  readonly port: number;
  readonly protocol: Protocol;
  /** Host application that it is; undefined: none. */
  readonly host: string | undefined;
}

let isListening = Promise.withResolvers<void>();

async function listen({ port, protocol, host }: Listening): Promise<void> {
  const created = createReader(protocol);
  reader = created;
  const opened = connect(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 5,
    clientId: 'ledger',
    reconnectPeriod: 100,
    resubscribe: false,
    properties: { receiveMaximum: 65_535 },
  });
  opened.on('message', (topic, payload) => take(created.read(topic, payload)));
  opened.on('error', () => {});
  opened.on('close', () => (isListening = Promise.withResolvers()));
  opened.on('connect', () => {
    subscribeAll(opened, created, host).catch(() => {});
  });
  await whenListening();
}

async function subscribeAll(opened: MqttClient, { filters }: MessageReader, host?: string): Promise<void> {
  await opened.subscribeAsync([...filters], { qos: 1 });
  if (host !== undefined) {
    const state = JSON.stringify({ online: true, timestamp: Date.now() });
    await opened.publishAsync(`spBv1.0/STATE/${host}`, state, { qos: 1, retain: true });
  }
  isListening.resolve();
}

/** Resolves when everything is subscribed to, also after a loss of the connection. */
function whenListening(): Promise<void> {
  return isListening.promise;
}

function setClocks(ahead: ReadonlyMap<string, number>): void {
  aheadMs = (gateway) => ahead.get(gateway) ?? 0;
}

function take(message: ReceivedMessage): void {
  const { gateway, isConnection, takenAtMs, samples = [] } = message;
  if (isConnection) ledger.connect(gateway);
  if (takenAtMs === undefined) return;
  ledger.take(message);
  if (message.backlog === true) {
    backlog += 1;
    backlogSamples += samples.length;
  } else {
    ages.push(Date.now() + aheadMs(gateway) - takenAtMs);
  }
}

function count(): FleetCount {
  const sorted = ages.toSorted((one, other) => one - other);
  const counted = {
    live: sorted.length,
    backlog,
    backlogSamples,
    liveP99Ms: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
  };
  ages = [];
  [backlog, backlogSamples] = [0, 0];
  return counted;
}

function findings(expected: ReadonlyMap<string, number>): FleetFindings {
  return { ...ledger.findings(expected), violations: reader?.violations ?? [] };
}
