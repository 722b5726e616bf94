import { check, z } from './schema.ts';
import type { Checked, Fault } from './schema.ts';

// Two slips of the finger are a typing error, more are another word.
const MAXIMUM_DISTANCE = 2;

/**
 * Creates a check that suggests for each unknown key the key that was probably meant, or lists the known keys.
 *
 * @param keysBeside keys at the top that are known although another schema checks them
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
    const known = (description ??= z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
    return {
      faults: checked.faults.map((fault) => {
        const keys = findKnownKeys(known, value, fault.path.slice(0, -1));
        return addKeyHint(fault.path.length === 1 ? [...keys, ...keysBeside] : keys, fault);
      }),
    };
  };
}

function addKeyHint(known: readonly string[], fault: Fault): Fault {
  const key = fault.path.at(-1);
  if (typeof key !== 'string') return fault;
  if (known.length === 0 || known.includes(key)) return fault;
  const nearest = findNearestKey(key, known);
  const hint = nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return { path: fault.path, message: `${fault.message}; ${hint}` };
}

/**
 * Finds the known key that differs least from the given one; ignores case.
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

/** The part of JSON Schema that names the keys. */
interface Description {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
}

function findKnownKeys(description: Description, value: unknown, path: Fault['path']): readonly string[] {
  let places = listFitting(description, value);
  let inside = value;
  for (const key of path) {
    inside = (inside as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
    places = places
      .map(({ properties, items }) => (typeof key === 'number' ? items : properties?.[key]))
      .flatMap((place) => (place === undefined ? [] : listFitting(place as Description, inside)));
  }
  return [...new Set(places.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

/** Returns a description and those of its alternatives that the value does not rule out. */
function listFitting(description: Description, value: unknown): readonly Description[] {
  const alternatives = [...(description.anyOf ?? []), ...(description.oneOf ?? [])] as readonly Description[];
  return [
    description,
    ...alternatives.filter((each) => isChosen(each, value)).flatMap((each) => listFitting(each, value)),
  ];
}

/** Whether the discriminating key of a value is absent or matches an alternative. */
function isChosen({ properties = {} }: Description, value: unknown): boolean {
  return Object.entries(properties).every(([key, property]) => {
    const { const: wanted } = property as { readonly const?: unknown };
    const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
    return wanted === undefined || found === undefined || found === wanted;
  });
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
