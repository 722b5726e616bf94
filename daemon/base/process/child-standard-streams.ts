import { readFileSync, writeSync } from 'node:fs';

// Streams would load what a socket needs, a third of the start of a small program. Both ends block in a child.
const INPUT = 0;
const OUTPUT = 1;

/** Reads standard input to its end, in a program that `runInChild` starts. */
export function readRequest(): Buffer {
  return readFileSync(INPUT);
}

/** Writes the result of a program that `runInChild` starts. */
export function writeAnswer(answer: string | Uint8Array): void {
  const bytes = Buffer.from(answer);
  for (let done = 0; done < bytes.length;) done += writeSync(OUTPUT, bytes, done);
}
