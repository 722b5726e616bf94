import { statSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';

import { ManualClock } from '../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Bench } from '../bench.ts';
import { ASSETS, RECORDING } from '../measured.ts';
import { createChannels, createDriver, createPlant, httpsPort, openSession, sequence } from '../plant.ts';
import { startProgram } from '../program.ts';
import { catchUp, createSample, createSeries, openRecordedPlant, recordSeconds } from '../recorded-plant.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const LIMITS = { atLeast: 12, atMost: 30 };
const DAY_SECONDS = 86_400;
const CHANNELS = 1000;
const BUCKETS = 500;

/** Bytes of recorded samples, and the time to read a day of them over REST. */
export const recordedHistory: Scenario = {
  name: 'recorded-history',
  measures: [...ASSETS, ...RECORDING],
  async run(bench) {
    return [...(await measureBytes(bench)), ...(await measureReads(bench))];
  },
};

async function measureBytes(bench: Bench): Promise<readonly Line[]> {
  const clock = new ManualClock();
  const directory = path.join(createTemporaryDirectory(bench), 'recording');
  const plant = await openRecordedPlant(bench, directory, clock);
  const series = createSeries(CHANNELS);
  const seconds = bench.choose({ full: 1800, quick: 900 });
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000);
    const takenAtMs = clock.epochMs();
    plant.journal.append(series.map((each, index) => ({ sample: createSample(each, index, takenAtMs) })));
    await plant.journal.flush();
    await catchUp(plant);
  }
  const samples = seconds * CHANNELS;
  const ofJournal = plant.journal.status().bytes / samples;
  await plant.close();
  const ofHistory = statSync(path.join(directory, 'history.db')).size / samples;
  const describe = (name: string, bytes: number, [gate, goal]: readonly [number, number]): Line => ({
    row: 29,
    name: `${CHANNELS} channels recorded each second: ${name}`,
    value: `${bytes.toFixed(2)} bytes a sample`,
    rounds: [bytes],
    isUntimed: true,
    unit: 'bytes',
    gate: { atMost: gate },
    goal: { atMost: goal },
  });
  return [
    describe('journal and history', ofJournal + ofHistory, [6, 4]),
    describe('history alone', ofHistory, [1.5, 1]),
  ];
}

async function measureReads(bench: Bench): Promise<readonly Line[]> {
  const folder = createTemporaryDirectory(bench);
  const beginMs = Math.floor(Date.now() / 1000 - DAY_SECONDS - 3600) * 1000;
  const day = { beginMs, seconds: DAY_SECONDS, channels: 1 };
  await recordSeconds(bench, path.join(folder, 'data/recording'), day);
  const gateway = await startProgram(bench, {
    directory: path.join(folder, 'configuration'),
    config: {
      dataDirectory: '../data',
      provision: createPlant({
        drivers: [createDriver('line', 9)],
        assets: [{ pid: 'ten', driver: 'line', channels: createChannels(sequence(10)) }],
      }),
    },
  });
  const headers = await openSession(gateway);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  bench.after(() => agent.destroy());
  const endMs = beginMs + DAY_SECONDS * 1000;
  const target = `/services/history/v1/ten?channels=channel00000&from=${beginMs}&to=${endMs}&limit=100000`;
  const read = (query: string) => () =>
    measureAnswer({ port: httpsPort(gateway), agent, headers, path: `${target}${query}` });
  const readAll = read('');
  const readBuckets = read(`&bucketMs=${Math.ceil((DAY_SECONDS * 1000) / BUCKETS)}`);
  for (let count = 0; count < 5; count += 1) {
    await readAll();
    await readBuckets();
  }
  const describe = (
    name: string,
    rounds: readonly number[],
    [gate, goal]: readonly [number, number],
  ): Line => ({
    row: 30,
    name: `history over REST, to the last byte: ${name}`,
    value: `${median(rounds).toFixed(0)} ms`,
    rounds,
    unit: 'ms',
    gate: { atMost: gate },
    goal: { atMost: goal },
  });
  return measureUntilDecided(bench, LIMITS, { all: readAll, buckets: readBuckets }, ({ all, buckets }) => [
    describe(`${DAY_SECONDS} samples of a channel`, all, [150, 60]),
    describe(`${BUCKETS} buckets of them`, buckets, [60, 20]),
  ]);
}

interface Asked {
  readonly port: number;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
}

/** Returns the milliseconds to the last byte of an answer. */
function measureAnswer(asked: Asked): Promise<number> {
  const beginMs = performance.now();
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', ...asked }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200 && bytes > 10_000) resolve(performance.now() - beginMs);
        else reject(new Error(`${asked.path} was answered with ${response.statusCode}, ${bytes} bytes`));
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}
