import { connectAsync } from 'mqtt';

import { decodeSparkplug } from '../support/sparkplug-payload.ts';
import { serveRemote } from './remote.ts';

/** Samples that a subscriber received since the previous count. */
export interface SubscriberCount {
  readonly messages: number;
  readonly live: number;
  readonly backlog: number;
  /** 99 % of the live samples were received so many milliseconds after they were taken, or earlier. */
  readonly liveP99Ms: number;
}

interface Message {
  readonly backlog?: boolean;
  readonly samples?: readonly { readonly takenAt: number }[];
}

/** Live samples by their age in milliseconds. */
let ages = new Uint32Array(60_000);
let [messages, live, backlog] = [0, 0, 0];

serveRemote({ subscribe, count });

async function subscribe(port: number): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 5,
    clientId: 'subscriber',
  });
  client.on('message', (topic, payload) => {
    if (topic.startsWith('penstock/')) take(payload);
    else takeMetrics(payload);
  });
  await client.subscribeAsync(['penstock/+/+', 'spBv1.0/+/DDATA/#'], { qos: 0 });
}

function take(payload: Buffer): void {
  const nowMs = Date.now();
  const { samples = [], backlog: isBacklog = false } = JSON.parse(payload.toString()) as Message;
  messages += 1;
  if (isBacklog) {
    backlog += samples.length;
    return;
  }
  for (const { takenAt } of samples) takeLive(nowMs - takenAt);
}

function takeMetrics(payload: Buffer): void {
  const nowMs = Date.now();
  messages += 1;
  for (const { isHistorical = false, timestamp } of decodeSparkplug(payload).metrics) {
    if (isHistorical) backlog += 1;
    else takeLive(nowMs - Number(timestamp));
  }
}

function takeLive(ageMs: number): void {
  live += 1;
  const age = Math.min(ages.length - 1, Math.max(0, ageMs));
  ages[age] = (ages[age] ?? 0) + 1;
}

function count(): SubscriberCount {
  const counted = { messages, live, backlog, liveP99Ms: findP99() };
  ages = new Uint32Array(ages.length);
  [messages, live, backlog] = [0, 0, 0];
  return counted;
}

function findP99(): number {
  let left = live * 0.99;
  return ages.findIndex((samples) => (left -= samples) <= 0);
}
