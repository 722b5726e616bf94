import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const { shared, target } = workerData as { readonly shared: SharedArrayBuffer; readonly target: string };
const words = new Int32Array(shared, 0, 3);
const bytes = new Uint8Array(shared, 12);

const CHECK_EVERY_MS = 1000;
const LONGEST_SECONDS = 20;

let [seen, seconds] = [-1, 0];
for (;;) {
  // Nobody wakes it: this is a pause.
  Atomics.wait(words, 2, 0, CHECK_EVERY_MS);
  const count = Atomics.load(words, 0);
  seconds = count === seen ? seconds + 1 : 0;
  seen = count;
  if (seconds < LONGEST_SECONDS) continue;
  const input = Buffer.from(bytes.slice(0, Atomics.load(words, 1))).toString('base64');
  writeSync(2, `${target}: no end after ${LONGEST_SECONDS} seconds\ninput in base64: ${input}\n`);
  process.kill(process.pid, 'SIGKILL');
}
