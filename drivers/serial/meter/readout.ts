import { parseObisCode } from './obis-code.ts';
import type { ObisCode } from './obis-code.ts';

/** One line of a readout: a code and its values in parentheses. */
export interface DataSet {
  /** Code as the meter sends it. */
  readonly text: string;
  /** Absent if it is no OBIS code. */
  readonly code: ObisCode | undefined;
  /** Contents of the parentheses. */
  readonly values: readonly string[];
}

// A code may be absent: the values then belong to the code before (profiles, readings of DSMR 2).
const DATA_SET = /([^()\r\n]*)((?:\([^()\r\n]*\))+)/g;
const VALUE = /\(([^()]*)\)/g;

/** Splits the text of a readout into its data sets (IEC 62056-21, 6.5). */
export function parseReadout(text: string): readonly DataSet[] {
  const sets: { readonly text: string; readonly code: ObisCode | undefined; readonly values: string[] }[] =
    [];
  for (const [, head = '', body = ''] of text.matchAll(DATA_SET)) {
    const values = Array.from(body.matchAll(VALUE), ([, value = '']) => value);
    const name = head.trim();
    const last = sets.at(-1);
    if (name === '' && last !== undefined) last.values.push(...values);
    else sets.push({ text: name, code: parseObisCode(name), values });
  }
  return sets;
}

/** A value and the unit that the meter sends with it. */
export interface MeterValue {
  readonly text: string;
  readonly unit: string | undefined;
}

// Some meters omit the asterisk. Other letters behind digits may be hexadecimal.
const WITHOUT_ASTERISK = /^([+-]?\d+(?:\.\d+)?)([kMG]?(?:Wh|varh|VAh|W|var|VA))$/i;

/** Splits the content of parentheses at the asterisk before its unit. */
export function splitValue(content: string): MeterValue {
  const at = content.indexOf('*');
  // Several numbers in one pair of parentheses have no common unit.
  if (at !== content.lastIndexOf('*')) return { text: content, unit: undefined };
  if (at >= 0) return { text: content.slice(0, at), unit: content.slice(at + 1).trim() };
  const found = WITHOUT_ASTERISK.exec(content.trim());
  return found === null ? { text: content, unit: undefined } : { text: found[1] ?? '', unit: found[2] };
}

const PREFIXES: Readonly<Record<string, number>> = { m: -3, k: 3, K: 3, M: 6, G: 9, T: 12 };

/**
 * Returns the power of ten that converts a number from one unit to another one.
 *
 * @returns undefined if they are different quantities
 */
export function findUnitShift(from: string, to: string): number | undefined {
  const [source, target] = [splitUnit(from), splitUnit(to)];
  if (from.toLowerCase() === to.toLowerCase() && source.power === target.power) return 0;
  return source.base === target.base ? source.power - target.power : undefined;
}

function splitUnit(unit: string): { readonly power: number; readonly base: string } {
  const power = PREFIXES[unit.charAt(0)];
  // m3 is no thousandth.
  const isPrefixed = power !== undefined && /^[a-z]/i.test(unit.slice(1));
  return { power: isPrefixed ? power : 0, base: (isPrefixed ? unit.slice(1) : unit).toLowerCase() };
}
