import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { readResults, toTable, writeResult } from './results.ts';
import { chooseSeed } from '../run-for.ts';
import { DefectHunt } from './defect-hunt.ts';
import type { Finding } from './defect-hunt.ts';
import type { PlantedDefect } from './planted-defect.ts';
import { PLANTED_DEFECTS } from './planted-defects.ts';

const USAGE = `Usage: npm run simulate:defects -- [--only NAME,NAME…] [--seconds N] [--seed TEXT] [--results FILE] [--list | --table]

Plants one defect at a time into a copy of the gateway, and runs simulated worlds until an invariant of its row does not hold.

  --only NAMES  these defects alone
  --seconds N   time of a processor for each defect (default 300)
  --seed TEXT   the worlds follow from it; drawn when absent
  --results FILE  gets a line for each defect, after those of earlier hunts
  --list        shows the defects and the invariants that see them
  --table       shows the newest results of the file as a table in Markdown

Exit status: 0 every defect was seen, 1 one was not, 2 wrong usage.
`;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NAME_WIDTH = Math.max(...PLANTED_DEFECTS.map(({ name }) => name.length));

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  const { defects, cpuSeconds, seed, results, mode } = options;
  if (mode === 'TABLE') {
    print(toTable(defects, results === undefined ? new Map() : readResults(results)));
    return 0;
  }
  if (mode === 'LIST') {
    for (const { name, file, invariants } of defects)
      print(`${name.padEnd(NAME_WIDTH)}  ${file}  ${invariants.join(', ')}`);
    return 0;
  }
  print(`seed ${seed}, ${cpuSeconds} seconds of a processor for each of ${defects.length} defects`);
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-defects-'));
  try {
    const hunt = new DefectHunt({ directory, seed, cpuSeconds });
    let seen = 0;
    for (const defect of defects) {
      const finding = await hunt.search(defect);
      if (finding.seen !== undefined) seen += 1;
      printRow(defect, finding);
      if (results !== undefined) writeResult(results, defect, finding);
    }
    print(`${seen} of ${defects.length} defects were seen`);
    return seen === defects.length ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function printRow({ name }: PlantedDefect, { seen, cpuSeconds, simulatedMs, remarks }: Finding): void {
  const verdict =
    seen === undefined
      ? 'NOT SEEN'.padEnd(18)
      : `${seen.invariant.padEnd(18)}  after ${(seen.atMs / HOUR_MS).toFixed(2)} h of seed ${seen.seed}`;
  print(
    `${name.padEnd(NAME_WIDTH)}  ${cpuSeconds.toFixed(0).padStart(4)} s  ${(simulatedMs / DAY_MS).toFixed(2).padStart(6)} days  ${verdict}`,
  );
  for (const remark of new Set(remarks)) print(`  ${remark.slice(0, 300)}`);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        seconds: { type: 'string', default: '300' },
        seed: { type: 'string' },
        results: { type: 'string' },
        list: { type: 'boolean', default: false },
        table: { type: 'boolean', default: false },
      },
    });
    const cpuSeconds = Number(values.seconds);
    if (!(cpuSeconds > 0)) throw new RangeError(`--seconds: "${values.seconds}" is no number above 0`);
    const names = values.only?.split(',').filter((name) => name !== '');
    const unknown = names?.find((name) => !PLANTED_DEFECTS.some((defect) => defect.name === name));
    if (unknown !== undefined) throw new RangeError(`--only: there is no defect ${unknown}`);
    const defects =
      names?.flatMap((name) => PLANTED_DEFECTS.filter((defect) => defect.name === name)) ?? PLANTED_DEFECTS;
    const mode = values.list ? 'LIST' : values.table ? 'TABLE' : 'HUNT';
    return { defects, cpuSeconds, seed: values.seed ?? chooseSeed(), results: values.results, mode };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
