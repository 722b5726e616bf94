import type { Fault } from '../schema.ts';

/** The part of JSON Schema that names the keys. */
export interface Description {
  readonly properties?: Readonly<Record<string, Description>>;
  readonly items?: unknown;
  readonly anyOf?: readonly Description[];
  readonly oneOf?: readonly Description[];
  readonly const?: unknown;
  readonly default?: unknown;
}

/** Schema description of one value. */
export interface DescribedValue {
  readonly value: unknown;
  /** All alternatives, including those excluded by the value. */
  readonly all: readonly Description[];
  readonly fitting: readonly Description[];
}

/** Returns the descriptions of the value at a path; several if there are alternatives. */
export function describeValueAt(
  description: Description,
  value: unknown,
  path: Fault['path'],
): readonly DescribedValue[] {
  let found = [describe(description, value)];
  for (const key of path) {
    found = found.flatMap(({ value: outer, fitting }) => {
      const inside = (outer as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
      return fitting
        .map(({ properties, items }) => (typeof key === 'number' ? items : properties?.[key]))
        .flatMap((inner) => (inner === undefined ? [] : [describe(inner as Description, inside)]));
    });
  }
  return found;
}

function describe(description: Description, value: unknown): DescribedValue {
  return { value, all: listAlternatives(description), fitting: listFitting(description, value) };
}

/** Returns the keys of any of the descriptions. */
export function listKeys(descriptions: readonly Description[]): ReadonlySet<string> {
  return new Set(descriptions.flatMap(({ properties = {} }) => Object.keys(properties)));
}

function listAlternatives(description: Description): readonly Description[] {
  return [description, ...branchesOf(description).flatMap(listAlternatives)];
}

function branchesOf({ anyOf = [], oneOf = [] }: Description): readonly Description[] {
  return [...anyOf, ...oneOf];
}

/** Returns a description and its alternatives that the value does not exclude. */
function listFitting(description: Description, value: unknown): readonly Description[] {
  const branches = branchesOf(description);
  const usual = new Map(
    branches.flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([key, { const: wanted, default: preset }]) =>
        wanted === undefined || preset === undefined ? [] : [[key, preset] as const],
      ),
    ),
  );
  return [
    description,
    ...branches.filter((each) => isChosen(each, value, usual)).flatMap((each) => listFitting(each, value)),
  ];
}

/**
 * Returns true if the discriminating key of a value is absent or matches an alternative.
 *
 * @param usual value of an absent key
 */
function isChosen(
  { properties = {} }: Description,
  value: unknown,
  usual: ReadonlyMap<string, unknown>,
): boolean {
  return Object.entries(properties).every(([key, { const: wanted }]) => {
    const given = (value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
    const found = given ?? usual.get(key);
    return wanted === undefined || found === undefined || found === wanted;
  });
}
