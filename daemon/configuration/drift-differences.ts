import { isDeepStrictEqual } from 'node:util';

import { isDocument } from './managed-document.ts';

/** One key that differs. */
export interface Difference {
  /** Keys with dots between, those of lists by pid or name: `channels.flow.valueScale`; empty for the part itself. */
  readonly key: string;
  /** As the file has it; absent: not at all. */
  readonly file?: unknown;
  /** As it is in force; absent: not at all. */
  readonly inForce?: unknown;
}

/** A value, and how it can be shown. */
interface Side {
  readonly raw: unknown;
  readonly shown: unknown;
}

/** Lists the keys in which two values differ, secrets included; only what can be shown is in the result. */
export function listDifferences(file: Side, inForce: Side, key = ''): readonly Difference[] {
  if (isDeepStrictEqual(file.raw, inForce.raw)) return [];
  const [one, other] = [fieldsOf(file), fieldsOf(inForce)];
  if (one === undefined || other === undefined) {
    return [{ key, ...withValue('file', file), ...withValue('inForce', inForce) }];
  }
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.flatMap((name) =>
    listDifferences(one.get(name) ?? ABSENT, other.get(name) ?? ABSENT, key === '' ? name : `${key}.${name}`),
  );
}

const ABSENT: Side = { raw: undefined, shown: undefined };

function withValue<Name extends string>(name: Name, { shown }: Side): Partial<Record<Name, unknown>> {
  return shown === undefined ? {} : ({ [name]: shown } as Partial<Record<Name, unknown>>);
}

/** Returns the fields of an object, or the items of a list by their names; undefined for anything else. */
function fieldsOf({ raw, shown }: Side): ReadonlyMap<string, Side> | undefined {
  if (Array.isArray(raw) && Array.isArray(shown)) {
    const items = raw as readonly unknown[];
    const names = items.map(nameOf).filter((name) => typeof name === 'string');
    if (names.length < items.length || new Set(names).size < names.length || items.length === 0)
      return undefined;
    return new Map(
      names.map((name, index) => [name, { raw: items[index], shown: (shown as readonly unknown[])[index] }]),
    );
  }
  // A secret is shown as a marker, whose keys are not those of the secret.
  if (!isDocument(raw) || !isDocument(shown) || !Object.keys(raw).every((key) => Object.hasOwn(shown, key)))
    return undefined;
  return new Map(Object.entries(raw).map(([key, value]) => [key, { raw: value, shown: shown[key] }]));
}

function nameOf(item: unknown): unknown {
  return isDocument(item) ? (item['pid'] ?? item['name']) : undefined;
}
