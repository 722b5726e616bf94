import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { buildPackage } from '../../support/package-builder.ts';
import { removePackage } from '../../support/package-upload.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { installFile, startReadGateway } from '../deployer.ts';
import { medianOf, ratiosOf } from '../load.ts';
import { READS, SOFTWARE } from '../measured.ts';
import { sequence } from '../plant.ts';
import { cpuMicrosecondsBetween, readCpuTime, readResidentMiB } from '../process-usage.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';

const LIMITS = { atLeast: 5, atMost: 8 };
const IDLE_BUNDLES = 20;
const SETTLE_MS = 1000;

const IDLE = 'export function activate() { setInterval(() => {}, 1000); }';
const HOSTILE = {
  spins: 'export function activate() { setTimeout(() => { for (;;); }, 5500); }',
  floods: `export function activate({ logger }) { setInterval(() => { for (let i = 0; i < 1000; i += 1) logger.info('noise'); }, 1); }`,
  leaks: `const kept = []; export function activate() { setInterval(() => kept.push(new Uint8Array(1e6).fill(1)), 50); }`,
  asks: `export function activate({ assets }) { setInterval(() => { for (let i = 0; i < 100; i += 1) assets.read('ten').catch(() => {}); }, 1); }`,
};

/** The cost of idle bundles, and the effect of harmful ones on reads. */
export const bundles: Scenario = {
  name: 'bundles',
  measures: [...READS, ...SOFTWARE],
  async run(bench) {
    const packages = createTemporaryDirectory(bench);
    const { gateway, client, read } = await startReadGateway(bench, packages);
    const idleMs = bench.choose({ full: 10_000, quick: 3000 });
    const aloneMiB = readResidentMiB(gateway.process.pid ?? 0);
    const aloneShare = await measureIdleShare(gateway.process.pid ?? 0, idleMs);
    const names = sequence(IDLE_BUNDLES).map((index) => `idle${index}`);
    writePackage(packages, 'idle', Object.fromEntries(names.map((name) => [name, IDLE])));
    await installFile(client, path.join(packages, 'idle.dp'));
    const besideMiB = readResidentMiB(gateway.process.pid ?? 0);
    const besideShare = await measureIdleShare(gateway.process.pid ?? 0, idleMs);
    await removePackage(client, 'idle');

    writePackage(packages, 'hostile', HOSTILE);
    const durationMs = bench.choose({ full: 1000, quick: 500 });
    const measurements = {
      alone: () => read(durationMs),
      async beside() {
        await installFile(client, path.join(packages, 'hostile.dp'));
        // They behave until their package is installed.
        await setTimeout(SETTLE_MS);
        const measured = await read(durationMs);
        await removePackage(client, 'hostile');
        return measured;
      },
    };
    return measureUntilDecided(bench, LIMITS, measurements, ({ alone, beside }) => [
      {
        name: `${IDLE_BUNDLES} idle bundles: processor time of the gateway`,
        value: `${(besideShare * 100).toFixed(2)} %`,
        floor: `${(aloneShare * 100).toFixed(2)} %`,
        rounds: [(besideShare - aloneShare) * 100],
        isProcessorTime: true,
        unit: '% of a core',
      },
      {
        name: `${IDLE_BUNDLES} idle bundles: memory of the gateway`,
        value: `${besideMiB.toFixed(0)} MiB`,
        floor: `${aloneMiB.toFixed(0)} MiB`,
        rounds: [besideMiB - aloneMiB],
        isUntimed: true,
        unit: 'MiB',
      },
      {
        name: 'bundles that spin, flood the log, leak and ask without end: p99 of reads ÷ alone',
        value: `${(medianOf(beside, 'p99Us') / 1000).toFixed(1)} ms`,
        floor: `${(medianOf(alone, 'p99Us') / 1000).toFixed(1)} ms`,
        rounds: ratiosOf(beside, alone, 'p99Us'),
        unit: '×',
        gate: { atMost: 3 },
        goal: { atMost: 1.5 },
      },
    ]);
  },
};

function writePackage(
  packages: string,
  symbolicName: string,
  sources: Readonly<Record<string, string>>,
): void {
  const list = Object.entries(sources).map(([name, main]) => ({ symbolicName: `bench.${name}`, main }));
  const content = buildPackage({ symbolicName, bundles: list });
  writeFileSync(path.join(packages, `${symbolicName}.dp`), content);
}

/** Returns the share of a core that a process takes while it has no requests. */
async function measureIdleShare(pid: number, durationMs: number): Promise<number> {
  const before = readCpuTime(pid);
  await setTimeout(durationMs);
  return cpuMicrosecondsBetween(before, readCpuTime(pid)) / (durationMs * 1000);
}
