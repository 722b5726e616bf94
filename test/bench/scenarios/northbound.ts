import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { ManualClock } from '../../support/manual-clock.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Bench } from '../bench.ts';
import { READS, RECORDING, SOFTWARE } from '../measured.ts';
import {
  describeNorthboundPlant,
  findBundleProcess,
  installBundle,
  RECORDER,
  startNorthbound,
} from '../northbound-plant.ts';
import {
  ASSETS,
  CHANNELS,
  describeMemory,
  measureProcessor,
  startDevices,
  startSubscriber,
} from '../northbound-processor.ts';
import type { MeasuredBundle } from '../northbound-processor.ts';
import { sequence } from '../plant.ts';
import { cpuMicrosecondsBetween, readCpuTime, readResidentMiB } from '../process-usage.ts';
import { catchUp, createSample, createSeries, openRecordedPlant } from '../recorded-plant.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import type { SubscriberCount } from '../subscriber-process.ts';

const BACKLOG_PER_SECOND = ASSETS * CHANNELS;
/** A backlog is sent in a minute and a half; each part of this length is a round. */
const PART_MS = 6000;
const MQTT: MeasuredBundle = {
  bundle: 'penstock-mqtt',
  settings: { samplesPerMessage: 100 },
  manner: 'to mosquitto, QoS 1, 100 in a message',
  gate: 12,
  goal: 6,
};

/** What sending samples to an MQTT broker costs, and how fast a backlog is sent while live samples go on. */
export const northbound: Scenario = {
  name: 'northbound',
  measures: [...READS, ...RECORDING, ...SOFTWARE, 'bundles/mqtt', 'bundles/penstock-mqtt'],
  async run(bench) {
    return [...(await measureProcessor(bench, MQTT)), ...(await measureBacklog(bench))];
  },
};

/** A gateway that could not send for an hour. */
async function measureBacklog(bench: Bench): Promise<readonly Line[]> {
  const broker = await startMosquitto(bench);
  const subscriber = await startSubscriber(bench, broker.port);
  const provision = describeNorthboundPlant({
    devices: await startDevices(bench, 1000),
    channelsOfAsset: CHANNELS,
    terms: { intervalMs: 1000 },
    bundle: { bundle: MQTT.bundle, brokerPort: broker.port },
  });
  const directory = createTemporaryDirectory(bench);
  const before = await startNorthbound(bench, provision, { directory });
  await installBundle(bench, before, MQTT.bundle);
  while ((await subscriber.call<SubscriberCount>('count')).live === 0) await wait(100);
  await before.stop();
  const seconds = bench.choose({ full: 3600, quick: 900 });
  await recordOutage(bench, path.join(directory, 'data/recording'), seconds);
  await subscriber.call('count');
  const gateway = await startNorthbound(bench, provision, { directory });
  const bundle = await findBundleProcess(gateway);
  const processes = [gateway.process.pid ?? 0, bundle];
  const ages: number[] = [];
  const paces: number[] = [];
  const pacesOfCore: number[] = [];
  let [backlog, peakMiB] = [0, 0];
  let part = { backlog: 0, ms: performance.now(), cpu: processes.map(readCpuTime) };
  while (backlog < seconds * BACKLOG_PER_SECOND) {
    await wait(500);
    const count = await subscriber.call<SubscriberCount>('count');
    backlog += count.backlog;
    if (count.live > 0) ages.push(count.liveP99Ms);
    peakMiB = Math.max(peakMiB, readResidentMiB(bundle));
    const now = { backlog, ms: performance.now(), cpu: processes.map(readCpuTime) };
    if (now.ms - part.ms < PART_MS) continue;
    const secondsOfBacklog = (now.backlog - part.backlog) / BACKLOG_PER_SECOND;
    // The first part has the start of the gateway in it.
    if (part.backlog > 0) {
      paces.push((secondsOfBacklog * 1000) / (now.ms - part.ms));
      const { cpu } = part;
      const cpuUs = now.cpu.reduce(
        (sum, time, index) => sum + cpuMicrosecondsBetween(cpu[index] ?? new Map(), time),
        0,
      );
      pacesOfCore.push((secondsOfBacklog * 1e6) / cpuUs);
    }
    part = now;
  }
  const name = `backlog of ${seconds / 60} minutes at ${BACKLOG_PER_SECOND} samples a second`;
  return [
    {
      row: 31,
      name: `${name}: sent ÷ real time, default settings`,
      value: `${median(paces).toFixed(0)} ×`,
      rounds: paces,
      unit: '×',
      gate: { atLeast: 20 },
    },
    {
      row: 31,
      name: `${name}: real time ÷ processor time of gateway and bundle`,
      value: `${median(pacesOfCore).toFixed(0)} ×`,
      rounds: pacesOfCore,
      isProcessorTime: true,
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
