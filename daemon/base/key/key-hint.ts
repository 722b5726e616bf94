import { createFault, createReason, describeReasons } from '../fault-reason.ts';
import { BASE_FAULTS } from '../fault-sentences.ts';
import type { FaultReason } from '../fault-reason.ts';
import { check, z } from '../schema.ts';
import type { Checked, Fault } from '../schema.ts';
import { describeValueAt, listKeys } from '../text/described-value.ts';
import type { DescribedValue, Description } from '../text/described-value.ts';

// Two differences are a typing error, more are another word.
const MAXIMUM_DISTANCE = 2;
const SHORTEST_BEGIN = 3;

/**
 * Creates a check that suggests a known key for each unknown one, or lists the known keys.
 *
 * @param keysBeside known top-level keys that another schema checks
 * @returns a function with the results of `check`; it looks up the keys once, at the first error
 */
export function createHintingCheck<T>(
  schema: z.ZodType<T>,
  keysBeside: readonly string[] = [],
): (value: unknown) => Checked<T> {
  let description: Description | undefined;
  return (value) => {
    const checked = check(schema, value);
    if (checked.faults === undefined) return checked;
    const known = (description ??= z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    }) as Description);
    return {
      faults: checked.faults.map((fault) => {
        const values = describeValueAt(known, value, fault.path.slice(0, -1));
        const keys = listKeys(values.flatMap(({ fitting }) => fitting));
        const other = findOtherChoice(values, fault.path.at(-1));
        if (other !== undefined) return createFault(fault.path, other);
        return addKeyHint([...keys, ...(fault.path.length === 1 ? keysBeside : [])], fault);
      }),
    };
  };
}

function addKeyHint(known: readonly string[], fault: Fault): Fault {
  const key = fault.path.at(-1);
  if (typeof key !== 'string') return fault;
  if (known.length === 0 || known.includes(key)) return fault;
  const nearest = findNearestKey(key, known);
  const hint =
    nearest === undefined
      ? createReason(BASE_FAULTS, 'EXPECTED_KEYS', { keys: known })
      : createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: nearest });
  if (fault.reasons !== undefined) return createFault(fault.path, ...fault.reasons, hint);
  return { path: fault.path, message: `${fault.message}; ${describeReasons([hint])}` };
}

/**
 * Finds the known key most similar to the given one, or the only one that begins with it; ignores case.
 *
 * @returns undefined if none is similar enough
 */
export function findNearestKey(written: string, known: readonly string[]): string | undefined {
  const candidates = known
    .map((key) => ({ key, distance: countEdits(written.toLowerCase(), key.toLowerCase()) }))
    .filter(({ key, distance }) => distance <= Math.min(MAXIMUM_DISTANCE, key.length / 2))
    .sort((a, b) => a.distance - b.distance);
  if (candidates[0] !== undefined || written.length < SHORTEST_BEGIN) return candidates[0]?.key;
  const begun = known.filter((key) => key.toLowerCase().startsWith(written.toLowerCase()));
  return begun.length === 1 ? begun[0] : undefined;
}

/**
 * Describes a key that belongs to another alternative, for example `baudRate` with the transport `tcp`.
 *
 * @returns undefined if it belongs to none, or to the selected one
 */
function findOtherChoice(
  values: readonly DescribedValue[],
  key: string | number | undefined,
): FaultReason | undefined {
  if (typeof key !== 'string') return undefined;
  if (values.some(({ fitting }) => listKeys(fitting).has(key))) return undefined;
  for (const { value, all, fitting } of values) {
    const others = all.filter(({ properties = {} }) => key in properties);
    const choices = others.flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([name, { const: wanted }]) =>
        typeof wanted === 'string' && name !== key ? [{ name, wanted }] : [],
      ),
    );
    const [first] = choices;
    if (first === undefined) continue;
    return createReason(BASE_FAULTS, 'KEY_OF_OTHER_CHOICE', {
      choice: first.name,
      wanted: choices.map((choice) => choice.wanted),
      chosen: findChosen(value, fitting, first.name),
    });
  }
  return undefined;
}

function findChosen(value: unknown, fitting: readonly Description[], name: string): string {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const usual = fitting.map(({ properties }) => properties?.[name]?.default);
  return [found, ...usual].find((each) => typeof each === 'string') ?? 'another';
}

/** Counts the characters to insert, delete or replace, as Levenshtein does. */
function countEdits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAXIMUM_DISTANCE) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, right] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
