import { setTimeout as wait } from 'node:timers/promises';

import { cpuMicrosecondsBetween, readCpuTime, readResidentMiB } from '../bench/process-usage.ts';
import { startRemote } from '../bench/remote.ts';
import type { Remote } from '../bench/remote.ts';
import type { Owner } from '../support/temporary-directory.ts';
import type { FleetBroker } from './brokers.ts';
import type { Protocol } from './gateways.ts';
import { describeReturn } from './return-spread.ts';
import type { ReturnSpread } from './return-spread.ts';
import type { SenderOptions, SenderState } from './sender-process.ts';
import type { FleetCount, FleetFindings } from './subscriber-process.ts';

export interface FleetOptions {
  readonly protocol: Protocol;
  readonly gateways: number;
  readonly sendersPerProcess: number;
  /** Samples of each gateway and interval. */
  readonly channels: number;
  readonly intervalMs: number;
  /** Time with all connections, before and after the outage. */
  readonly liveMs: number;
  /** Time that passes for the gateways in the outage. */
  readonly outageMs: number;
  /** True: the broker is killed at the begin of the outage, and started at its end. */
  readonly killsBroker: boolean;
  /** True: the subscriber is the primary host. */
  readonly isHost: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly onPhase: (name: string) => void;
}

/** What was measured in one phase. */
interface Phase {
  readonly seconds: number;
  /** Processor time of the broker, in percent of a core. */
  readonly brokerPercent: number;
  readonly count: FleetCount;
}

export interface FleetReport {
  /** All senders connect at once. */
  readonly connect: Phase;
  readonly live: Phase;
  /** From the end of the outage until the backlogs have arrived and all senders are connected. */
  readonly drain: Phase;
  readonly returned: ReturnSpread;
  /** Samples of all backlogs at the end of the outage. */
  readonly backlogSamples: number;
  readonly findings: FleetFindings;
  readonly brokerMiB: number;
  /** Peak of all processes of senders, divided by the number of senders. */
  readonly senderMiB: number;
}

/** The outage passes so many times faster for the gateways. */
const OUTAGE_SPEED = 20;
const POLL_MS = 200;
const HOST = 'fleet-host';

/** Lets a fleet of senders lose its broker for a while and return at once, and checks what a subscriber receives. */
export async function runFleet(
  owner: Owner,
  broker: FleetBroker,
  options: FleetOptions,
): Promise<FleetReport> {
  const { protocol, gateways, sendersPerProcess, channels, intervalMs, liveMs, outageMs } = options;
  const { killsBroker, isHost, onPhase } = options;
  const settings = { ...options.settings, ...(isHost ? { primaryHost: HOST } : {}) };
  const subscriber = await startRemote(owner, '../fleet/subscriber-process.ts');
  await subscriber.call('listen', { port: broker.port, protocol, host: isHost ? HOST : undefined });
  const senders: Remote[] = [];
  const stateOf = async (): Promise<SenderState> =>
    mergeStates(await Promise.all(senders.map((each) => each.call<SenderState>('state'))));
  const measure = (act: () => Promise<void>): Promise<Phase> => measurePhase(broker, subscriber, act);
  onPhase(`${gateways} gateways connect`);
  const starts: SenderOptions[] = [];
  for (let first = 0; first < gateways; first += sendersPerProcess) {
    const count = Math.min(sendersPerProcess, gateways - first);
    starts.push({ protocol, brokerPort: broker.port, first, count, channels, intervalMs, settings });
    senders.push(await startRemote(owner, '../fleet/sender-process.ts'));
  }
  await stateOf();
  const emptyMiB = residentMiBOf(senders);
  const connect = await measure(async () => {
    await Promise.all(senders.map((each, index) => each.call('start', starts[index])));
    await until(async () => (await stateOf()).connected === gateways);
  });
  onPhase('live');
  const live = await measure(() => wait(liveMs));
  onPhase(`outage of ${outageMs / 1000} s, ${OUTAGE_SPEED} times faster`);
  if (killsBroker) await broker.kill();
  await Promise.all(senders.map((each) => each.call('cut', OUTAGE_SPEED)));
  await wait(outageMs / OUTAGE_SPEED);
  if (killsBroker) await broker.start();
  await subscriber.call('setClocks', await settleClocks(senders));
  await subscriber.call('whenListening');
  const { unacknowledged: backlogSamples } = await stateOf();
  onPhase(`return with ${backlogSamples} samples of backlog`);
  let peakMiB = 0;
  const drain = await measure(async () => {
    await Promise.all(senders.map((each) => each.call('restore')));
    await until(async () => {
      peakMiB = Math.max(peakMiB, residentMiBOf(senders));
      const { connected, backlog } = await stateOf();
      return connected === gateways && backlog < gateways * channels;
    });
  });
  const { returnsMs } = await stateOf();
  onPhase('end');
  await wait(liveMs / 2);
  await Promise.all(senders.map((each) => each.call('end')));
  await until(async () => (await stateOf()).unacknowledged === 0);
  // What the broker has acknowledged may still be on its way to the subscriber.
  await until(async () => {
    const { live: messages, backlog } = await subscriber.call<FleetCount>('count');
    return messages + backlog === 0;
  });
  const { newest } = await stateOf();
  return {
    connect,
    live,
    drain,
    returned: describeReturn(returnsMs),
    backlogSamples,
    findings: await subscriber.call<FleetFindings>('findings', new Map(newest)),
    brokerMiB: readResidentMiB(broker.pid),
    senderMiB: (peakMiB - emptyMiB) / gateways,
  };
}

function residentMiBOf(processes: readonly Remote[]): number {
  return processes.reduce((sum, { pid }) => sum + readResidentMiB(pid), 0);
}

/** Ends the acceleration, and returns by how much the clock of each gateway is ahead of the machine. */
async function settleClocks(senders: readonly Remote[]): Promise<ReadonlyMap<string, number>> {
  const ahead = new Map<string, number>();
  await Promise.all(
    senders.map(async (each) => {
      const aheadMs = await each.call<number>('settle');
      const { newest } = await each.call<SenderState>('state');
      for (const [gateway] of newest) ahead.set(gateway, aheadMs);
    }),
  );
  return ahead;
}

async function measurePhase(
  broker: FleetBroker,
  subscriber: Remote,
  act: () => Promise<void>,
): Promise<Phase> {
  await subscriber.call('count');
  const before = readCpuTime(broker.pid);
  const beginMs = performance.now();
  await act();
  const seconds = (performance.now() - beginMs) / 1000;
  const brokerPercent = cpuMicrosecondsBetween(before, readCpuTime(broker.pid)) / (seconds * 10_000);
  return { seconds, brokerPercent, count: await subscriber.call<FleetCount>('count') };
}

function mergeStates(states: readonly SenderState[]): SenderState {
  const sum = (name: 'connected' | 'unacknowledged' | 'backlog'): number =>
    states.reduce((total, state) => total + state[name], 0);
  return {
    connected: sum('connected'),
    unacknowledged: sum('unacknowledged'),
    backlog: sum('backlog'),
    newest: states.flatMap(({ newest }) => newest),
    returnsMs: states.flatMap(({ returnsMs }) => returnsMs),
  };
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await wait(POLL_MS);
}
