import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { programOf } from './tools.ts';

/** A meter by IEC 62056-21 as a test describes it. */
export interface SimulatedMeter {
  /** Absent: it answers to any sign-on without an address. */
  readonly address?: string;
  readonly identification: string;
  readonly lines: readonly string[];
  /** How many of its readouts are damaged. */
  readonly damage?: number;
  /** Does not answer. */
  readonly deaf?: boolean;
  /** Second character of its sign-on; absent: `?`. */
  readonly request?: string;
  /** Answers only after NUL characters. */
  readonly sleeps?: boolean;
  /** Sends its data when the line has the speed; `false`: before, so that other bytes arrive. */
  readonly waits?: boolean;
}

export interface RunningMeters extends AsyncDisposable {
  /** Path of the line. */
  readonly device: string;
  /** What the meters have heard; `awake` after NUL characters, `silent` where nothing that can be understood follows. */
  readonly heard: readonly string[];
}

/** Starts meters on one line, in their own process. */
export async function startMeters(
  meters: readonly SimulatedMeter[],
  { echo = false }: { readonly echo?: boolean } = {},
): Promise<RunningMeters> {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-meters-'));
  const file = path.join(directory, 'meters.json');
  writeFileSync(file, JSON.stringify({ meters, echo }));
  const script = path.join(import.meta.dirname, 'iec-meter.py');
  const child = spawn(programOf('python3'), [script, file], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const heard: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => void heard.push(line));
  const [device] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => {
      throw new Error(`the meters ended: ${heard.join('\n')}`);
    }),
  ])) as [string];
  return {
    device,
    heard,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
