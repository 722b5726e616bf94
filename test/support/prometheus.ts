import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { findFreePort } from './free-ports.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

const PAUSE_MS = 50;
const SERIES = /^(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;

/** A series of an exposition with its newest value. */
export interface Series {
  readonly name: string;
  /** As the exposition has them, without braces. */
  readonly labels: string;
  readonly value: number;
}

/** Reads the series of a text in the exposition format of Prometheus. */
export function parseExposition(text: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    const { name, labels = '', value } = SERIES.exec(line)?.groups ?? {};
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
}

/** Returns what promtool prints; throws with its output if it fails. */
export async function runPromtool(...parameters: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(programOf('promtool'), parameters, {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

/** A Prometheus that scrapes one gateway each second. */
export interface Prometheus {
  /** Returns `data` of a response of the HTTP interface; throws with its error. */
  ask(endpoint: string, parameters?: Readonly<Record<string, string>>): Promise<unknown>;
}

/** Starts Prometheus; it is stopped when the test ends. */
export async function startPrometheus(
  t: Owner,
  { target, rulesFile }: { readonly target: string; readonly rulesFile: string },
): Promise<Prometheus> {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'prometheus.yml');
  const configuration = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [{ job_name: 'penstock', static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(file, JSON.stringify(configuration));
  const port = await findFreePort();
  const child = spawn(
    programOf('prometheus'),
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${errors}`);
    await wait(PAUSE_MS);
  }
  return {
    async ask(endpoint, parameters = {}) {
      const answer = await fetch(`${url}/api/v1/${endpoint}?${new URLSearchParams(parameters).toString()}`);
      const { data, error } = (await answer.json()) as { readonly data?: unknown; readonly error?: string };
      if (error !== undefined) throw new Error(`${endpoint} ${JSON.stringify(parameters)}: ${error}`);
      return data;
    },
  };
}
