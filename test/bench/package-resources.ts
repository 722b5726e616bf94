import { sequence } from './plant.ts';

const MEGABYTE = 1_000_000;
const FILES = 10;

/** Creates the files of a package of so many megabytes, by their names. */
export function createResources(megabytes: number): Readonly<Record<string, Buffer>> {
  const length = (megabytes * MEGABYTE) / FILES;
  return Object.fromEntries(sequence(FILES).map((index) => [`data/part${index}.bin`, createContent(length)]));
}

/** Bytes that pack badly, as those of programs and pictures do; the same at each run. */
function createContent(length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = 1;
  for (let index = 0; index < words.length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, Math.floor(length));
}
