import { cpuMicrosecondsBetween, readCpuTime, readResidentMiB } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { CHANNELS_OF_ASSET, startTagStream, TAGS_PER_SECOND } from '../tag-stream.ts';

/** A steady stream of values, each read from its device. */
export const tagRate: Scenario = {
  name: 'tag-rate',
  async run(bench) {
    const { gateway, load, readers } = await startTagStream(bench);
    const durationMs = bench.choose({ full: 60_000, quick: 5000 });
    const pid = gateway.process.pid ?? 0;
    const before = readCpuTime(pid);
    const { requests, seconds } = await load.run(gateway.process, durationMs, readers);
    const cores = cpuMicrosecondsBetween(before, readCpuTime(pid)) / (seconds * 1_000_000);
    const tagsPerSecond = (requests * CHANNELS_OF_ASSET) / seconds;
    return [
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: tags that came`,
        value: `${tagsPerSecond.toFixed(0)}/s`,
        floor: `${TAGS_PER_SECOND}/s`,
        figure: tagsPerSecond / TAGS_PER_SECOND,
        unit: '×',
        gate: { atLeast: 0.95 },
      },
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: processor time`,
        value: `${(cores * 100).toFixed(1)} %`,
        figure: cores * 100,
        unit: '% of a core',
      },
      {
        row: 24,
        name: `${TAGS_PER_SECOND} tags in a second: memory`,
        value: `${readResidentMiB(pid).toFixed(0)} MiB`,
        figure: readResidentMiB(pid),
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
        const { cpuUsPerRequest, requests, seconds } = await load.run(gateway.process, durationMs, readers);
        const percent = (cpuUsPerRequest * requests) / (seconds * 10_000);
        const residentMiB = readResidentMiB(gateway.process.pid ?? 0);
        return [
          { name: `${name}: processor time`, value: percent, unit: '% of a core', better: 'LESS' },
          { name: `${name}: memory`, value: residentMiB, unit: 'MiB', better: 'LESS' },
        ];
      },
    ];
  },
};
