import type { Random } from '../simulation/world/random.ts';

const LONGEST_INPUT = 4096;
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** What inputs are made of. */
export interface Material {
  readonly random: Random;
  /** Inputs that reached something; at least one. */
  readonly corpus: readonly Buffer[];
  readonly words: readonly Buffer[];
}

type Change = (input: Buffer, material: Material) => Buffer;

const CHANGES: readonly Change[] = [
  changeBit,
  changeByte,
  changeNumber,
  insertBytes,
  insertWord,
  insertWord,
  overwriteWithWord,
  removeRange,
  removeRange,
  repeatRange,
  moveRange,
  takeFromOther,
  changeDigits,
  cutEnd,
];

/** Makes a new input from those that are known: one to a few changes of one of them. */
export function mutate(material: Material): Buffer {
  const { random, corpus } = material;
  let input: Buffer = Buffer.from(random.pick(corpus));
  for (let changes = random.integer(1, 5); changes > 0; changes -= 1) {
    input = random.pick(CHANGES)(input, material);
  }
  return input.subarray(0, LONGEST_INPUT);
}

function place({ length }: Buffer, random: Random): number {
  return random.integer(0, Math.max(0, length - 1));
}

function replace(input: Buffer, from: number, to: number, by: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, from), by, input.subarray(to)]);
}

function range(input: Buffer, random: Random): readonly [from: number, to: number] {
  const from = place(input, random);
  const longest = random.chance(0.8) ? 8 : 256;
  return [from, Math.min(input.length, from + random.integer(1, longest))];
}

function changeBit(input: Buffer, { random }: Material): Buffer {
  const at = place(input, random);
  if (at < input.length) input[at] = (input[at] ?? 0) ^ (1 << random.integer(0, 7));
  return input;
}

function changeByte(input: Buffer, { random }: Material): Buffer {
  const at = place(input, random);
  if (at < input.length) input[at] = random.integer(0, 255);
  return input;
}

function changeNumber(input: Buffer, { random }: Material): Buffer {
  const size = random.pick([1, 2, 4]);
  const at = place(input, random);
  if (at + size > input.length) return input;
  const isBig = random.chance(0.5);
  const present = isBig ? input.readUIntBE(at, size) : input.readUIntLE(at, size);
  const wanted = random.chance(0.5) ? random.pick(EDGES) : present + random.integer(-4, 4);
  const number = ((wanted % 256 ** size) + 256 ** size) % 256 ** size;
  if (isBig) input.writeUIntBE(number, at, size);
  else input.writeUIntLE(number, at, size);
  return input;
}

function insertBytes(input: Buffer, { random }: Material): Buffer {
  const at = random.integer(0, input.length);
  return replace(input, at, at, random.bytes(random.integer(1, 8)));
}

function insertWord(input: Buffer, { random, words }: Material): Buffer {
  const at = random.integer(0, input.length);
  return words.length === 0 ? input : replace(input, at, at, random.pick(words));
}

function overwriteWithWord(input: Buffer, { random, words }: Material): Buffer {
  if (words.length === 0) return input;
  const [from] = range(input, random);
  const word = random.pick(words);
  return replace(input, from, Math.min(input.length, from + word.length), word);
}

function removeRange(input: Buffer, { random }: Material): Buffer {
  const [from, to] = range(input, random);
  return replace(input, from, to, Buffer.alloc(0));
}

function repeatRange(input: Buffer, { random }: Material): Buffer {
  const [from, to] = range(input, random);
  const piece = input.subarray(from, to);
  const times = random.chance(0.9) ? 1 : random.integer(2, 40);
  return replace(input, to, to, Buffer.concat(Array.from({ length: times }, () => piece)));
}

function moveRange(input: Buffer, { random }: Material): Buffer {
  const [from, to] = range(input, random);
  const piece = Buffer.from(input.subarray(from, to));
  const rest = replace(input, from, to, Buffer.alloc(0));
  const at = random.integer(0, rest.length);
  return replace(rest, at, at, piece);
}

function takeFromOther(input: Buffer, { random, corpus }: Material): Buffer {
  const other = random.pick(corpus);
  const [from, to] = range(other, random);
  const [start, end] = range(input, random);
  return replace(input, start, random.chance(0.5) ? start : end, other.subarray(from, to));
}

// A number in a text, to one next to it or of another length.
function changeDigits(input: Buffer, { random }: Material): Buffer {
  const found = [...input.toString('latin1').matchAll(/\d{1,20}/g)];
  if (found.length === 0) return input;
  const { 0: digits, index } = random.pick(found);
  const number = BigInt(digits) + BigInt(random.integer(-2, 2));
  const text = random.chance(0.7)
    ? String(number)
    : random.pick(['-1', '00', '1e9', '4294967296', `${digits}0`]);
  return replace(input, index, index + digits.length, Buffer.from(text, 'latin1'));
}

function cutEnd(input: Buffer, { random }: Material): Buffer {
  return random.chance(0.7) ? input : input.subarray(0, place(input, random));
}
