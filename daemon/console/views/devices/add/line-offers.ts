import type { Document } from '../../../forms/change/edit-target.ts';
import type { Offer } from './offer.ts';

/** Bytes that a line sent, split into frames. */
export interface CapturedLine {
  /** Text that ends each frame, in the notation of the settings; undefined: a pause does. */
  readonly delimiter: string | undefined;
  /** Distinct frames, without their ends. */
  readonly frames: readonly string[];
}

const DELIMITERS = [
  ['\r\n', String.raw`\r\n`],
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\u0003', String.raw`\x03`],
] as const;
const MAXIMUM_FRAMES = 20;
const NUMBER = /[-+]?[ ]*\d+(?:[.,]\d+)?/g;
const ANY_NUMBER = '[-+0-9., ]*';
const UNIT = /^\s*([A-Za-zµ°Ω%][A-Za-z0-9µ°/%]{0,7})/;
const WORD = /([A-Za-z][A-Za-z0-9_]*)[\s:=,;]*$/;

/** Settings with which a line is listened to before its frames are known. */
export const LISTENING = {
  framing: { type: 'idleGap', gapMs: 100 },
  encoding: 'latin1',
} as const;

/** Returns the channel that captures whatever the line sends. */
export function toCapture(request: string): Document {
  const response = { pattern: String.raw`^((?:.|\s)*)$` };
  const address = request === '' ? { response } : { request, response };
  return { name: 'line', type: 'READ', valueType: 'STRING', address };
}

/** Splits what was captured into frames. */
export function splitCapture(text: string): CapturedLine {
  const found = DELIMITERS.find(([ending]) => text.includes(ending));
  const frames = found === undefined ? [text] : text.split(found[0]);
  const distinct = [...new Set(frames.filter((frame) => frame.trim() !== ''))];
  return { delimiter: found?.[1], frames: distinct.slice(0, MAXIMUM_FRAMES) };
}

/** Returns the driver settings that receive such frames. */
export function toFraming({ delimiter }: CapturedLine): Document {
  return delimiter === undefined ? LISTENING : { framing: { type: 'delimiter', delimiter } };
}

/** Offers each number of each frame as a channel, with the pattern that finds it. */
export function offerNumbers({ frames }: CapturedLine, request: string): readonly Offer[] {
  const taken = new Set<string>();
  return frames.flatMap((frame) => {
    const numbers = [...frame.matchAll(NUMBER)].filter((match) => !isPartOfWord(frame, match));
    return numbers.map((match, index): Offer => {
      const [text] = match;
      const [, unit] = UNIT.exec(frame.slice(match.index + text.length)) ?? [];
      const [, word = 'value'] = WORD.exec(frame.slice(0, match.index)) ?? [];
      const name = freeName(word, taken);
      const separator = text.includes(',') ? { decimalSeparator: ',' } : {};
      const response = { pattern: toPattern(frame, numbers, index), ...separator };
      const channel = {
        name,
        type: 'READ',
        valueType: 'DOUBLE',
        ...(unit === undefined ? {} : { unit }),
        address: request === '' ? { response } : { request, response },
      };
      return { key: `${frame} ${index}`, folder: [frame], label: text.trim(), detail: unit ?? '', channel };
    });
  });
}

/** Returns the pattern of a frame with a group around one of its numbers; the other numbers may be any. */
function toPattern(frame: string, numbers: readonly RegExpExecArray[], chosen: number): string {
  let pattern = '^';
  let from = 0;
  for (const [index, match] of numbers.entries()) {
    pattern += quote(frame.slice(from, match.index));
    pattern += index === chosen ? `(${ANY_NUMBER})` : ANY_NUMBER;
    from = match.index + match[0].length;
  }
  return `${pattern}${quote(frame.slice(from))}$`;
}

function quote(text: string): string {
  return text
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll(
      /[^\x20-\x7e]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}

// The digits of m3, CO2 and P1 are none of values.
function isPartOfWord(frame: string, { 0: text, index }: RegExpExecArray): boolean {
  return /^\d$/.test(text) && /[A-Za-z]/.test(frame[index - 1] ?? '');
}

function freeName(word: string, taken: Set<string>): string {
  let name = word;
  for (let count = 2; taken.has(name); count += 1) name = `${word}-${count}`;
  taken.add(name);
  return name;
}
