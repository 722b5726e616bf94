import type { Measured } from '../load.ts';
import { readResidentMiB } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { measureInTurn, median } from '../statistics.ts';
import { CHANNELS_OF_ASSET, startTagStream, TAGS_PER_SECOND } from '../tag-stream.ts';

/** A steady stream of values, each read from its device. */
export const tagRate: Scenario = {
  name: 'tag-rate',
  async run(bench) {
    const { gateway, load, readers } = await startTagStream(bench);
    const durationMs = bench.choose({ full: 5000, quick: 1500 });
    const pid = gateway.process.pid ?? 0;
    const { rounds } = await measureInTurn(bench.choose({ full: 12, quick: 4 }), {
      rounds: () => load.run(gateway.process, durationMs, readers),
    });
    const rates = rounds.map(({ requests, seconds }) => (requests * CHANNELS_OF_ASSET) / seconds);
    const percents = rounds.map(shareOfCore);
    const residentMiB = readResidentMiB(pid);
    return [
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: tags that came`,
        value: `${median(rates).toFixed(0)}/s`,
        floor: `${TAGS_PER_SECOND}/s`,
        rounds: rates.map((rate) => rate / TAGS_PER_SECOND),
        unit: '×',
        gate: { atLeast: 0.95 },
      },
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: processor time`,
        value: `${median(percents).toFixed(1)} %`,
        rounds: percents,
        unit: '% of a core',
      },
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: memory`,
        value: `${residentMiB.toFixed(0)} MiB`,
        rounds: [residentMiB],
        isUntimed: true,
        unit: 'MiB',
      },
    ];
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

/** Returns the processor time of the gateway, in percent of a core. */
function shareOfCore({ cpuUsPerRequest, requests, seconds }: Measured): number {
  return (cpuUsPerRequest * requests) / (seconds * 10_000);
}
