import type { Bench } from '../bench.ts';
import type { Measured } from '../load.ts';
import { READS } from '../measured.ts';
import { readResidentMiB } from '../process-usage.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { CHANNELS_OF_ASSET, startTagStream, TAGS_PER_SECOND } from '../tag-stream.ts';

const LIMITS = { atLeast: 8, atMost: 14 };
const RATES = [
  { tagsPerSecond: TAGS_PER_SECOND, gate: 12, goal: 6 },
  { tagsPerSecond: 5 * TAGS_PER_SECOND, gate: 55, goal: 25 },
] as const;

/** Steady streams of values, each read from its device. */
export const tagRate: Scenario = {
  name: 'tag-rate',
  measures: READS,
  async run(bench) {
    const lines: Line[] = [];
    for (const rate of RATES) lines.push(...(await measureRate(bench, rate)));
    return lines;
  },
  async prepare(bench) {
    const { gateway, load, readers } = await startTagStream(bench);
    const durationMs = bench.choose({ full: 2000, quick: 1000 });
    const name = `${TAGS_PER_SECOND} tags in a second`;
    return [
      async () => {
        const percent = shareOfCore(await load.run(gateway.process, durationMs, readers));
        const residentMiB = readResidentMiB(gateway.process.pid ?? 0);
        return [
          { name: `${name}: processor time`, value: percent, unit: '% of a core', better: 'LESS' },
          { name: `${name}: memory`, value: residentMiB, unit: 'MiB', better: 'LESS' },
        ];
      },
    ];
  },
};

async function measureRate(
  bench: Bench,
  { tagsPerSecond, gate, goal }: (typeof RATES)[number],
): Promise<readonly Line[]> {
  const { gateway, load, readers } = await startTagStream(bench, { tagsPerSecond });
  const durationMs = bench.choose({ full: 4000, quick: 1500 });
  const measurements = { rounds: () => load.run(gateway.process, durationMs, readers) };
  return measureUntilDecided(bench, LIMITS, measurements, ({ rounds }) => {
    const rates = rounds.map(({ requests, seconds }) => (requests * CHANNELS_OF_ASSET) / seconds);
    const percents = rounds.map(shareOfCore);
    const residentMiB = readResidentMiB(gateway.process.pid ?? 0);
    const name = `${tagsPerSecond} tags in a second`;
    return [
      {
        row: 24,
        name: `${name}: tags that came`,
        value: `${median(rates).toFixed(0)}/s`,
        floor: `${tagsPerSecond}/s`,
        rounds: rates.map((rate) => rate / tagsPerSecond),
        unit: '×',
        gate: { atLeast: 0.95 },
      },
      {
        row: 24,
        name: `${name}: processor time`,
        value: `${median(percents).toFixed(1)} %`,
        rounds: percents,
        isProcessorTime: true,
        unit: '% of a core',
        gate: { atMost: gate },
        goal: { atMost: goal },
      },
      {
        row: 24,
        name: `${name}: memory`,
        value: `${residentMiB.toFixed(0)} MiB`,
        rounds: [residentMiB],
        isUntimed: true,
        unit: 'MiB',
      },
    ];
  });
}

/** Returns the processor time of the gateway, in percent of a core. */
function shareOfCore({ cpuUsPerRequest, requests, seconds }: Measured): number {
  return (cpuUsPerRequest * requests) / (seconds * 10_000);
}
