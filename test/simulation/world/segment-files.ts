import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';

import type { Random } from './random.ts';

const MOST_BYTES = 200;

/** Dates the segments of the journal by the clock of the gateway: that of this machine must not matter. */
export function setSegmentTimes(dataDirectory: string, epochMs: number): void {
  for (const file of listSegments(dataDirectory)) utimesSync(file, epochMs / 1000, epochMs / 1000);
}

/** Leaves at the end of the newest segment what a loss of power may leave of the frame that was being written, or nothing. */
export function tearSegment(dataDirectory: string, random: Random): void {
  const newest = listSegments(dataDirectory).at(-1);
  const kind = random.pickWeighted({ nothing: 2, zeros: 1, beginning: 2 });
  const length = random.integer(1, MOST_BYTES);
  if (newest === undefined || kind === 'nothing') return;
  // The beginning of a frame says how long the whole is.
  const bytes = kind === 'zeros' ? Buffer.alloc(length) : readFileSync(newest).subarray(0, 48);
  appendFileSync(newest, bytes.subarray(0, length));
}

function listSegments(dataDirectory: string): readonly string[] {
  const directory = path.join(dataDirectory, 'recording', 'journal');
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .toSorted()
    .map((name) => path.join(directory, name));
}
