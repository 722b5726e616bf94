import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { SessionClient } from '../../support/https-client.ts';
import { buildPackage } from '../../support/package-builder.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Bench } from '../bench.ts';
import { installFile, startReadGateway, unzipAndSync } from '../deployer.ts';
import { medianOf, ratiosOf } from '../load.ts';
import { READS, SOFTWARE } from '../measured.ts';
import { createResources } from '../package-resources.ts';
import { readResidentMiB } from '../process-usage.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { divideRounds, median } from '../statistics.ts';

const INSTALL_LIMITS = { atLeast: 8, atMost: 14 };
const READ_LIMITS = { atLeast: 9, atMost: 32 };
const SIZES = [1, 10, 50];
/** By the megabytes of the package. */
const BOUNDS: Readonly<Record<number, Pick<Line, 'gate' | 'goal'>>> = {
  1: { gate: { atMost: 5 }, goal: { atMost: 3 } },
  50: { gate: { atMost: 2.5 }, goal: { atMost: 1.5 } },
};
const SAMPLE_MS = 5;

/** Installations of large packages beside unpacking them by hand, and their effect on reads. */
export const packageInstall: Scenario = {
  name: 'package-install',
  measures: [...READS, ...SOFTWARE],
  async run(bench) {
    const packages = createTemporaryDirectory(bench);
    const { gateway, client, read } = await startReadGateway(bench, packages);
    const lines: Line[] = [];
    for (const size of SIZES) lines.push(...(await compareWithUnzip(bench, client, packages, size)));

    const durationMs = 800;
    const install = createInstaller(client, packages, SIZES.at(-1) ?? 0);
    let highestMiB = 0;
    const measurements = {
      alone: () => read(durationMs),
      async beside() {
        const timer = setInterval(() => {
          highestMiB = Math.max(highestMiB, readResidentMiB(gateway.process.pid ?? 0));
        }, SAMPLE_MS);
        const installing = install();
        const measured = await read(durationMs);
        await installing;
        clearInterval(timer);
        return measured;
      },
    };
    const found = await measureUntilDecided(bench, READ_LIMITS, measurements, ({ alone, beside }) => [
      {
        row: 18,
        name: `reads while 50 MB are installed: p99 ÷ alone (gateway up to ${highestMiB.toFixed(0)} MiB)`,
        value: `${(medianOf(beside, 'p99Us') / 1000).toFixed(1)} ms`,
        floor: `${(medianOf(alone, 'p99Us') / 1000).toFixed(1)} ms`,
        rounds: ratiosOf(beside, alone, 'p99Us'),
        unit: '×',
        gate: { atMost: 2 },
        goal: { atMost: 1.2 },
      },
    ]);
    return [...lines, ...found];
  },
};

async function compareWithUnzip(
  bench: Bench,
  client: SessionClient,
  packages: string,
  megabytes: number,
): Promise<readonly Line[]> {
  const install = createInstaller(client, packages, megabytes);
  const unpacked = path.join(packages, 'unpacked');
  const measurements = {
    installed: install,
    unzipped: () => {
      rmSync(unpacked, { recursive: true, force: true });
      mkdirSync(unpacked);
      return Promise.resolve(unzipAndSync(path.join(packages, fileName(megabytes, 0)), unpacked));
    },
  };
  return measureUntilDecided(bench, INSTALL_LIMITS, measurements, ({ installed, unzipped }) => [
    {
      row: 18,
      name: `package of ${megabytes} MB: installation ÷ unzip and sync`,
      value: `${median(installed).toFixed(0)} ms`,
      floor: `${median(unzipped).toFixed(0)} ms`,
      rounds: divideRounds(installed, unzipped),
      unit: '×',
      ...BOUNDS[megabytes],
    },
  ]);
}

/** Writes two versions of a package, and returns a function that installs them in turn. */
function createInstaller(client: SessionClient, packages: string, megabytes: number): () => Promise<number> {
  const resources = createResources(megabytes);
  for (const version of [0, 1]) {
    const symbolicName = `bench${megabytes}`;
    const content = buildPackage({ symbolicName, version: `1.0.${version}`, resources });
    writeFileSync(path.join(packages, fileName(megabytes, version)), content);
  }
  let rounds = 0;
  return () => {
    rounds += 1;
    return installFile(client, path.join(packages, fileName(megabytes, rounds % 2)));
  };
}

function fileName(megabytes: number, version: number): string {
  return `bench${megabytes}-${version}.dp`;
}
