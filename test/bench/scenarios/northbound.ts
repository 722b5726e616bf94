import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { ManualClock } from '../../support/manual-clock.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Bench } from '../bench.ts';
import { startDevice } from '../device.ts';
import {
  describeNorthboundPlant,
  findBundleProcess,
  installBundle,
  RECORDER,
  startNorthbound,
} from '../northbound-plant.ts';
import { sequence } from '../plant.ts';
import { cpuMicrosecondsBetween, pin, readCpuTime, readResidentMiB } from '../process-usage.ts';
import { catchUp, createSample, createSeries, openRecordedPlant } from '../recorded-plant.ts';
import { startRemote } from '../remote.ts';
import type { Remote } from '../remote.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median, subtractRounds } from '../statistics.ts';
import type { SubscriberCount } from '../subscriber-process.ts';

const ASSETS = 10;
const CHANNELS = 100;
const INTERVAL_MS = 100;
const CHANGES_PER_SECOND = (ASSETS * CHANNELS * 1000) / INTERVAL_MS;
const BACKLOG_PER_SECOND = ASSETS * CHANNELS;
const MIB = 110;

/** What sending samples to an MQTT broker costs, and how fast a backlog is sent while live samples go on. */
export const northbound: Scenario = {
  name: 'northbound',
  async run(bench) {
    return [...(await measureProcessor(bench)), ...(await measureBacklog(bench))];
  },
};

/** Two gateways record the same changes at the same time, one of them sends them. */
async function measureProcessor(bench: Bench): Promise<readonly Line[]> {
  const broker = await startMosquitto(bench);
  const subscriber = await startSubscriber(bench, broker.port);
  const plant = {
    devices: await startDevices(bench, INTERVAL_MS / 2),
    channelsOfAsset: CHANNELS,
    terms: { onChange: true, minimumIntervalMs: INTERVAL_MS },
  };
  const settings = { samplesPerMessage: 100 };
  const recording = await startNorthbound(bench, describeNorthboundPlant(plant));
  const sending = await startNorthbound(
    bench,
    describeNorthboundPlant({ ...plant, brokerPort: broker.port, settings }),
  );
  await installBundle(bench, sending);
  const bundle = await findBundleProcess(sending);
  await wait(bench.choose({ full: 15_000, quick: 6000 }));
  const processes = [recording.process.pid ?? 0, sending.process.pid ?? 0, bundle];
  const durationMs = bench.choose({ full: 10_000, quick: 4000 });
  await subscriber.call('count');
  const beginMs = performance.now();
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < bench.choose({ full: 9, quick: 5 }); round += 1) {
    rounds.push(await measureShares(processes, durationMs));
  }
  const { live, liveP99Ms } = await subscriber.call<SubscriberCount>('count');
  const rate = (live * 1000) / (performance.now() - beginMs);
  const [recorded = [], sent = [], ofBundle = []] = processes.map((_process, index) =>
    rounds.map((shares) => shares[index] ?? Number.NaN),
  );
  const name = `${CHANGES_PER_SECOND} changes a second to mosquitto, QoS 1, 100 in a message`;
  const residentMiB = readResidentMiB(bundle);
  await Promise.all([recording.stop(), sending.stop()]);
  return [
    {
      row: 31,
      name: `${name}: samples that came`,
      value: `${rate.toFixed(0)}/s`,
      floor: `${CHANGES_PER_SECOND}/s`,
      rounds: [rate / CHANGES_PER_SECOND],
      unit: '×',
      gate: { atLeast: 0.95 },
    },
    {
      row: 31,
      name: `${name}: processor time of the gateway beyond recording them`,
      value: `${median(sent).toFixed(1)} %`,
      floor: `${median(recorded).toFixed(1)} %`,
      rounds: subtractRounds(sent, recorded),
      unit: '% of a core',
      gate: { atMost: 5 },
      goal: { atMost: 2 },
    },
    {
      row: 31,
      name: `${name}: processor time of the bundle`,
      value: `${median(ofBundle).toFixed(1)} %`,
      rounds: ofBundle,
      unit: '% of a core',
      gate: { atMost: 12 },
      goal: { atMost: 6 },
    },
    describeMemory(`${name}: memory of the bundle`, residentMiB),
    {
      row: 31,
      name: `${name}: age of the samples when they come, p99`,
      value: `${liveP99Ms} ms`,
      rounds: [liveP99Ms],
      unit: 'ms',
    },
  ];
}

/** A gateway that could not send for an hour. */
async function measureBacklog(bench: Bench): Promise<readonly Line[]> {
  const broker = await startMosquitto(bench);
  const subscriber = await startSubscriber(bench, broker.port);
  const provision = describeNorthboundPlant({
    devices: await startDevices(bench, 1000),
    channelsOfAsset: CHANNELS,
    terms: { intervalMs: 1000 },
    brokerPort: broker.port,
  });
  const directory = createTemporaryDirectory(bench);
  const before = await startNorthbound(bench, provision, { directory });
  await installBundle(bench, before);
  while ((await subscriber.call<SubscriberCount>('count')).live === 0) await wait(100);
  await before.stop();
  const seconds = bench.choose({ full: 3600, quick: 900 });
  await recordOutage(bench, path.join(directory, 'data/recording'), seconds);
  await subscriber.call('count');
  const gateway = await startNorthbound(bench, provision, { directory });
  const bundle = await findBundleProcess(gateway);
  const processes = [gateway.process.pid ?? 0, bundle];
  const cpuBefore = processes.map(readCpuTime);
  const ages: number[] = [];
  let [backlog, beginMs, peakMiB] = [0, 0, 0];
  while (backlog < seconds * BACKLOG_PER_SECOND) {
    await wait(500);
    const count = await subscriber.call<SubscriberCount>('count');
    if (backlog === 0 && count.backlog > 0) beginMs = performance.now() - 500;
    backlog += count.backlog;
    if (count.live > 0) ages.push(count.liveP99Ms);
    peakMiB = Math.max(peakMiB, readResidentMiB(bundle));
  }
  const pace = seconds / ((performance.now() - beginMs) / 1000);
  const cpuUs = processes.reduce(
    (sum, pid, index) => sum + cpuMicrosecondsBetween(cpuBefore[index] ?? new Map(), readCpuTime(pid)),
    0,
  );
  const paceOfCore = (seconds * 1e6) / cpuUs;
  const name = `backlog of ${seconds / 60} minutes at ${BACKLOG_PER_SECOND} samples a second`;
  return [
    {
      row: 31,
      name: `${name}: sent ÷ real time, default settings`,
      value: `${pace.toFixed(0)} ×`,
      rounds: [pace],
      unit: '×',
      gate: { atLeast: 20 },
    },
    {
      row: 31,
      name: `${name}: real time ÷ processor time of gateway and bundle`,
      value: `${paceOfCore.toFixed(0)} ×`,
      rounds: [paceOfCore],
      unit: '×',
      gate: { atLeast: 20 },
      goal: { atLeast: 60 },
    },
    {
      row: 31,
      name: `${name}: age of live samples until then, p99`,
      value: `${median(ages).toFixed(0)} ms`,
      rounds: ages,
      unit: 'ms',
      gate: { atMost: 1000 },
    },
    describeMemory(`${name}: memory of the bundle until then`, peakMiB),
  ];
}

function describeMemory(name: string, residentMiB: number): Line {
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

async function startSubscriber(bench: Bench, port: number): Promise<Remote> {
  const subscriber = await startRemote(bench, 'subscriber-process.ts');
  pin(subscriber.pid, 'client');
  await subscriber.call('subscribe', port);
  return subscriber;
}

/** Starts one device for all assets; each asset has its own connection to it. */
async function startDevices(bench: Bench, stepMs: number): Promise<readonly { readonly port: number }[]> {
  const device = await startDevice(bench, { answerDelayMs: 0, silentUnits: [], stepMs });
  return sequence(ASSETS).map(() => device);
}

/** Records the samples of all channels that a gateway could not send until now. */
async function recordOutage(bench: Bench, directory: string, seconds: number): Promise<void> {
  const clock = new ManualClock(Math.floor(Date.now() / 1000 - seconds) * 1000);
  const plant = await openRecordedPlant(bench, directory, clock);
  const series = sequence(ASSETS).flatMap((index) => createSeries(CHANNELS, `asset${index}`));
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000);
    const takenAtMs = clock.epochMs();
    const samples = series.map((each, index) => createSample(each, index, takenAtMs));
    plant.journal.append(samples.map((sample) => ({ sample: { ...sample, recorders: [RECORDER] } })));
    await plant.journal.flush();
    await catchUp(plant);
  }
  await plant.close();
}

/** Returns the processor time of processes during the same time, in percent of a core. */
async function measureShares(processes: readonly number[], durationMs: number): Promise<readonly number[]> {
  const before = processes.map(readCpuTime);
  const beginMs = performance.now();
  await wait(durationMs);
  const after = processes.map(readCpuTime);
  const percentUs = (performance.now() - beginMs) * 10;
  return after.map((time, index) => cpuMicrosecondsBetween(before[index] ?? new Map(), time) / percentUs);
}
