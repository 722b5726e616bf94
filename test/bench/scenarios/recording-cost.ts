import { existsSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

import { systemClock } from '../../../daemon/base/clock.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Bench } from '../bench.ts';
import { READS, RECORDING } from '../measured.ts';
import { createChannels, createDriver, sequence, startPlant } from '../plant.ts';
import { measureShares } from '../process-usage.ts';
import { catchUp, createSample, createSeries, openRecordedPlant } from '../recorded-plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { divideRounds, median, subtractRounds } from '../statistics.ts';

const LIMITS = { atLeast: 8, atMost: 14 };
const ASSETS = 10;
const CHANNELS = 100;
const INTERVAL_MS = 100;
const SAMPLES_PER_SECOND = (ASSETS * CHANNELS * 1000) / INTERVAL_MS;

/** What recording costs the processor and the event loop, and a gateway that records nothing. */
export const recordingCost: Scenario = {
  name: 'recording-cost',
  measures: [...READS, ...RECORDING],
  async run(bench) {
    return [...(await measureProcessor(bench)), ...(await measureLoop(bench))];
  },
};

/** The same reads with and without samples: values that do not change are none for a recorder of changes. */
async function measureProcessor(bench: Bench): Promise<readonly Line[]> {
  const recording = await startRecorders(bench, { intervalMs: INTERVAL_MS });
  const reading = await startRecorders(bench, { onChange: true, minimumIntervalMs: INTERVAL_MS });
  const idle = await startRecorders(bench, undefined);
  await wait(bench.choose({ full: 10_000, quick: 4000 }));
  const durationMs = bench.choose({ full: 5000, quick: 2000 });
  const processes = [recording, reading].map((gateway) => gateway.process.pid ?? 0);
  const measurements = { shares: () => measureShares(processes, durationMs) };
  const files = existsSync(path.join(idle.dataDirectory, 'recording')) ? 1 : 0;
  return measureUntilDecided(bench, LIMITS, measurements, ({ shares }) => {
    const [recorded = [], read = []] = [0, 1].map((at) => shares.map((each) => each[at] ?? Number.NaN));
    return [
      {
        row: 29,
        name: `${SAMPLES_PER_SECOND} recorded samples a second, beyond reading the devices`,
        value: `${median(recorded).toFixed(1)} %`,
        floor: `${median(read).toFixed(1)} %`,
        rounds: subtractRounds(recorded, read),
        isProcessorTime: true,
        unit: '% of a core',
        gate: { atMost: 5 },
        goal: { atMost: 2 },
      },
      {
        row: 35,
        name: 'files of recording on a gateway without recorders',
        value: `${files}`,
        rounds: [files],
        isUntimed: true,
        unit: 'files',
        gate: { atMost: 0 },
        goal: { atMost: 0 },
      },
    ];
  });
}

async function startRecorders(bench: Bench, terms: object | undefined): Promise<RunningGateway> {
  const devices = await Promise.all(sequence(ASSETS).map(() => startLibmodbusServer()));
  for (const device of devices) bench.after(() => device.close());
  const assets = devices.map((_device, index) => ({
    pid: `asset${index}`,
    driver: `line${index}`,
    channels: createChannels(sequence(CHANNELS)),
  }));
  const recorder = { pid: 'all', ...terms, assets: assets.map(({ pid: asset }) => ({ asset })) };
  return startPlant(bench, {
    drivers: devices.map(({ port }, index) => createDriver(`line${index}`, port)),
    assets,
    more: terms === undefined ? {} : { recorders: [recorder] },
  });
}

/** The same samples, made in the same process, with and without a journal that takes them. */
async function measureLoop(bench: Bench): Promise<readonly Line[]> {
  const directory = path.join(createTemporaryDirectory(bench), 'recording');
  const plant = await openRecordedPlant(bench, directory, systemClock);
  const series = createSeries(ASSETS * CHANNELS);
  const measure = (isRecording: boolean) => async (): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const rounds = bench.choose({ full: 40, quick: 30 });
    for (let round = 0; round < rounds; round += 1) {
      const takenAtMs = Date.now();
      const entries = series.map((each, index) => ({ sample: createSample(each, index, takenAtMs) }));
      if (isRecording) plant.journal.append(entries);
      await wait(INTERVAL_MS);
    }
    delay.disable();
    await catchUp(plant);
    return delay.percentile(99) / 1e6;
  };
  const measurements = { flushing: measure(true), without: measure(false) };
  return measureUntilDecided(bench, LIMITS, measurements, ({ flushing, without }) => [
    {
      row: 34,
      name: `${SAMPLES_PER_SECOND} samples a second: p99 of the event loop while the journal flushes ÷ without`,
      value: `${median(flushing).toFixed(2)} ms`,
      floor: `${median(without).toFixed(2)} ms`,
      rounds: divideRounds(flushing, without),
      unit: '×',
      gate: { atMost: 1.5 },
      goal: { atMost: 1.1 },
    },
  ]);
}
