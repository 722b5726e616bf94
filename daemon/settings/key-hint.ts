import { z } from '../base/schema.ts';
import type { Fault } from '../base/schema.ts';

// Two slips of the finger are a typing error, more are another word.
const MAXIMUM_DISTANCE = 2;

/**
 * Adds to each fault about an unknown key which key may have been meant, or else which keys there are.
 *
 * @param schema the schema that found the faults; every other fault stays as it is
 */
export function addKeyHints(schema: z.ZodType, faults: readonly Fault[]): readonly Fault[] {
  if (faults.length === 0) return faults;
  const description = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return faults.map((fault) => {
    const key = fault.path.at(-1);
    if (typeof key !== 'string') return fault;
    const known = findKnownKeys(description, fault.path.slice(0, -1));
    if (known.length === 0 || known.includes(key)) return fault;
    const nearest = findNearestKey(key, known);
    const hint = nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${nearest}"?`;
    return { path: fault.path, message: `${fault.message}; ${hint}` };
  });
}

/**
 * Finds the known key that differs least from what was written, upper and lower case being alike.
 *
 * @returns undefined when none is near enough to be meant
 */
export function findNearestKey(written: string, known: readonly string[]): string | undefined {
  const candidates = known
    .map((key) => ({ key, distance: countEdits(written.toLowerCase(), key.toLowerCase()) }))
    .filter(({ key, distance }) => distance <= Math.min(MAXIMUM_DISTANCE, key.length / 2))
    .sort((a, b) => a.distance - b.distance);
  return candidates[0]?.key;
}

interface ObjectDescription {
  readonly properties?: Readonly<Record<string, unknown>>;
}

function findKnownKeys(description: ObjectDescription, path: Fault['path']): readonly string[] {
  let node: ObjectDescription | undefined = description;
  for (const key of path) node = node?.properties?.[key] as ObjectDescription | undefined;
  return Object.keys(node?.properties ?? {});
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
