import { setTimeout as wait } from 'node:timers/promises';

import { startMosquitto } from '../support/mosquitto.ts';
import type { Bench } from './bench.ts';
import { startDevice } from './device.ts';
import {
  describeNorthboundPlant,
  findBundleProcess,
  installBundle,
  startNorthbound,
} from './northbound-plant.ts';
import type { SendingBundle } from './northbound-plant.ts';
import { sequence } from './plant.ts';
import { measureShares, pin, readResidentMiB } from './process-usage.ts';
import { startRemote } from './remote.ts';
import type { Remote } from './remote.ts';
import { measureUntilDecided } from './rounds.ts';
import type { Line } from './scenario.ts';
import { median, subtractRounds } from './statistics.ts';
import type { SubscriberCount } from './subscriber-process.ts';

const LIMITS = { atLeast: 8, atMost: 12 };
export const ASSETS = 10;
export const CHANNELS = 100;
const INTERVAL_MS = 100;
const CHANGES_PER_SECOND = (ASSETS * CHANNELS * 1000) / INTERVAL_MS;
const MIB = 110;

/** A bundle whose processor time is measured. */
export interface MeasuredBundle extends SendingBundle {
  /** How it sends, in words. */
  readonly manner: string;
  /** Processor time of the bundle, in percent of a core. */
  readonly gate: number;
  readonly goal: number;
}

/** Measures two gateways that record the same changes at the same time; one of them sends them. */
export async function measureProcessor(bench: Bench, measured: MeasuredBundle): Promise<readonly Line[]> {
  const broker = await startMosquitto(bench);
  const subscriber = await startSubscriber(bench, broker.port);
  const plant = {
    devices: await startDevices(bench, INTERVAL_MS / 2),
    channelsOfAsset: CHANNELS,
    terms: { onChange: true, minimumIntervalMs: INTERVAL_MS },
  };
  const recording = await startNorthbound(bench, describeNorthboundPlant(plant));
  const bundleOfBroker = { ...measured, brokerPort: broker.port };
  const sending = await startNorthbound(bench, describeNorthboundPlant({ ...plant, bundle: bundleOfBroker }));
  await installBundle(bench, sending, measured.bundle);
  const bundle = await findBundleProcess(sending);
  await wait(bench.choose({ full: 15_000, quick: 6000 }));
  const processes = [recording.process.pid ?? 0, sending.process.pid ?? 0, bundle];
  const durationMs = bench.choose({ full: 7000, quick: 4000 });
  await subscriber.call('count');
  let residentMiB = Number.NaN;
  const measure = async (): Promise<Round> => {
    const beginMs = performance.now();
    const shares = await measureShares(processes, durationMs);
    const { live, liveP99Ms } = await subscriber.call<SubscriberCount>('count');
    residentMiB = readResidentMiB(bundle);
    return { shares, rate: (live * 1000) / (performance.now() - beginMs), liveP99Ms };
  };
  const lines = await measureUntilDecided(bench, LIMITS, { rounds: measure }, ({ rounds }) =>
    describe(measured, rounds, residentMiB),
  );
  await Promise.all([recording.stop(), sending.stop()]);
  return lines;
}

/** What was measured at the same time. */
interface Round {
  /** Processor time of the gateway that records, of that which sends, and of its bundle, in percent of a core. */
  readonly shares: readonly number[];
  /** Samples per second. */
  readonly rate: number;
  readonly liveP99Ms: number;
}

function describe(measured: MeasuredBundle, rounds: readonly Round[], residentMiB: number): readonly Line[] {
  const [recorded = [], sent = [], ofBundle = []] = [0, 1, 2].map((index) =>
    rounds.map(({ shares }) => shares[index] ?? Number.NaN),
  );
  const name = `${CHANGES_PER_SECOND} changes a second ${measured.manner}`;
  const rates = rounds.map(({ rate }) => rate);
  const ages = rounds.map(({ liveP99Ms }) => liveP99Ms);
  return [
    {
      row: 31,
      name: `${name}: samples that came`,
      value: `${median(rates).toFixed(0)}/s`,
      floor: `${CHANGES_PER_SECOND}/s`,
      rounds: rates.map((rate) => rate / CHANGES_PER_SECOND),
      unit: '×',
      gate: { atLeast: 0.95 },
    },
    {
      row: 31,
      name: `${name}: processor time of the gateway beyond recording them`,
      value: `${median(sent).toFixed(1)} %`,
      floor: `${median(recorded).toFixed(1)} %`,
      rounds: subtractRounds(sent, recorded),
      isProcessorTime: true,
      unit: '% of a core',
      gate: { atMost: 5 },
      goal: { atMost: 2 },
    },
    {
      row: 31,
      name: `${name}: processor time of the bundle`,
      value: `${median(ofBundle).toFixed(1)} %`,
      rounds: ofBundle,
      isProcessorTime: true,
      unit: '% of a core',
      gate: { atMost: measured.gate },
      goal: { atMost: measured.goal },
    },
    describeMemory(`${name}: memory of the bundle`, residentMiB),
    {
      row: 31,
      name: `${name}: age of the samples when they come, p99`,
      value: `${median(ages).toFixed(0)} ms`,
      rounds: ages,
      unit: 'ms',
    },
  ];
}

/** Returns the line for the resident memory of a bundle. */
export function describeMemory(name: string, residentMiB: number): Line {
  return {
    row: 31,
    name,
    value: `${residentMiB.toFixed(0)} MiB`,
    rounds: [residentMiB],
    isUntimed: true,
    unit: 'MiB',
    gate: { atMost: MIB },
  };
}

/** Starts a subscriber that counts samples, on the core of clients. */
export async function startSubscriber(bench: Bench, port: number): Promise<Remote> {
  const subscriber = await startRemote(bench, 'subscriber-process.ts');
  pin(subscriber.pid, 'client');
  await subscriber.call('subscribe', port);
  return subscriber;
}

/** Starts one device for all assets; each asset has its own connection to it. */
export async function startDevices(
  bench: Bench,
  stepMs: number,
): Promise<readonly { readonly port: number }[]> {
  const device = await startDevice(bench, { answerDelayMs: 0, silentUnits: [], stepMs });
  return sequence(ASSETS).map(() => device);
}
