/** An error that a schema reports; its fields depend on the code. */
interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path?: readonly unknown[] | undefined;
  readonly input?: unknown;
  /** Of `invalid_type`. */
  readonly expected?: string | undefined;
  /** Of `invalid_value`. */
  readonly values?: readonly unknown[] | undefined;
  /** Of `too_big` and `too_small`. */
  readonly maximum?: unknown;
  readonly minimum?: unknown;
  readonly inclusive?: boolean | undefined;
  readonly origin?: string | undefined;
  /** Of `invalid_union`: values of the key that chooses, or the issues of each alternative. */
  readonly options?: unknown;
  readonly errors?: readonly (readonly SchemaIssue[])[] | undefined;
}

// The words of YAML and JSON.
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with keys',
  record: 'an object with keys',
  null: 'null',
};

const SIZE_UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/**
 * Describes in plain words what a schema expected; a schema with its own message keeps it.
 *
 * @returns undefined when the library's own text has to do; no value is quoted
 */
export function describeIssue(issue: SchemaIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected ?? '', issue.input);
    case 'invalid_value':
      return `expected ${listAlternatives(issue.values ?? [])}`;
    case 'too_big':
      return `expected ${describeBound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'too_small':
      return `expected ${describeBound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'invalid_union':
      return Array.isArray(issue.options)
        ? `expected ${listAlternatives(issue.options)}`
        : describeKinds(issue.errors ?? []);
    default:
      return undefined;
  }
}

function describeType(expected: string, input: unknown): string {
  const wanted = describeKind(expected);
  if (input === undefined) return `expected ${wanted}`;
  if (typeof input === 'number' && !Number.isFinite(input)) return `expected ${wanted} that is finite`;
  const found = kindOf(input);
  // Not "a whole number, found a number": that would say nothing.
  if (expected === 'int' && found === 'number') return `expected ${wanted}`;
  return `expected ${wanted}, found ${describeKind(found)}`;
}

/** @param alternatives the issues of each schema that might have fitted */
function describeKinds(alternatives: readonly (readonly SchemaIssue[])[]): string | undefined {
  const kinds = alternatives.flatMap(([issue]) =>
    issue?.code === 'invalid_type' && issue.path?.length === 0 ? [describeKind(issue.expected ?? '')] : [],
  );
  return kinds.length === 0 ? undefined : `expected ${kinds.join(' or ')}`;
}

function describeKind(kind: string): string {
  return KINDS[kind] ?? kind;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function describeBound({ origin }: SchemaIssue, bound: unknown, relation: string): string {
  return `${relation} ${String(bound)}${SIZE_UNITS[origin ?? ''] ?? ''}`;
}

function listAlternatives(values: readonly unknown[]): string {
  // A key with a default may be left out, which is nothing that can be written.
  const written = values.filter((value) => value !== undefined).map(String);
  return written.length === 1 ? written.join('') : `one of ${written.join(', ')}`;
}
