import { QUOTES } from './failure-sentences.ts';
import { fillSentence } from './text/sentence.ts';
import type { NamesIn } from './text/sentence.ts';

type Value = string | number | readonly string[];

/** English sentences of errors by their code, as each module declares its own; `{name}` is replaced by a value. */
type FaultSentences = Readonly<Record<string, string>>;

/** A sentence about an error, with its code and values for clients that have their own words. */
export interface FaultReason {
  readonly code: string;
  readonly parameters: Readonly<Record<string, Value>>;
  /** The sentence in English, with its values. */
  readonly message: string;
}

// Terms of YAML and JSON.
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

/** Values that are names of kinds. */
const NAMES_OF_KINDS: ReadonlySet<string> = new Set(['kinds', 'found']);

/** A reason and the keys down to the faulty value. */
export interface ReasonAt {
  readonly path: readonly (string | number)[];
  readonly reason: FaultReason;
}

/** An error with the code of each of its sentences. */
export interface ReasonedFault<Path = readonly (string | number)[]> {
  readonly path: Path;
  readonly message: string;
  readonly reasons: readonly FaultReason[];
}

/**
 * Creates a reason with the values that its sentence names.
 *
 * @param sentences those of the module whose rule is violated
 */
export function createReason<Sentences extends FaultSentences, Code extends keyof Sentences & string>(
  sentences: Sentences,
  code: Code,
  parameters: Readonly<Record<NamesIn<Sentences[Code]>, Value>>,
): FaultReason {
  return { code, parameters, message: describe(sentences[code] ?? '', parameters) };
}

/**
 * Returns the English message of an error: its sentences one after the other; one with a colon at its end is the place of the next.
 *
 * @param mark between two sentences
 */
export function describeReasons(reasons: readonly FaultReason[], mark: ';' | ',' = ';'): string {
  const [first, ...others] = reasons.map(({ message }) => message);
  return others.reduce((text, next) => `${text}${text.endsWith(':') ? '' : mark} ${next}`, first ?? '');
}

/** Returns a reason that is an error with a code of its own: its message is the only value. */
export function quoteError({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): FaultReason {
  return { code, parameters: { message }, message };
}

/** Returns a reason in words of others: of a device, the system or a library. */
export function quoteText(message: string): FaultReason {
  return createReason(QUOTES, 'QUOTED', { message });
}

/** An error whose message are sentences with codes. */
export class ExplainedError extends Error {
  readonly reasons: readonly FaultReason[];

  constructor(reasons: readonly FaultReason[], options?: ErrorOptions) {
    super(describeReasons(reasons), options);
    this.reasons = reasons;
  }
}

/** Returns what an error shows for reasons. */
export function explain(...reasons: readonly FaultReason[]): {
  readonly detail: string;
  readonly reasons: readonly FaultReason[];
} {
  return { detail: describeReasons(reasons), reasons };
}

/** Returns an error for reasons, with its English message. */
export function createFault<Path>(path: Path, ...reasons: readonly FaultReason[]): ReasonedFault<Path> {
  return { path, message: describeReasons(reasons), reasons };
}

/** Returns an error with sentences that come before its own. */
export function prefixFault<
  T extends { readonly message: string; readonly reasons?: readonly FaultReason[] | undefined },
>(fault: T, ...before: readonly FaultReason[]): T {
  const message = describeReasons([...before, { code: '', parameters: {}, message: fault.message }]);
  const { reasons } = fault;
  return { ...fault, message, ...(reasons === undefined ? {} : { reasons: [...before, ...reasons] }) };
}

/** Returns an error inside a part of a document as one of the document. */
export function placeFault<T extends { readonly path: readonly (string | number)[] }>(
  place: readonly (string | number)[],
  fault: T,
): Omit<T, 'path'> & { readonly path: readonly (string | number)[] } {
  return { ...fault, path: [...place, ...fault.path] };
}

/** Returns what a schema reports for a reason, as its last parameter. */
export function sayReason(reason: FaultReason): {
  readonly error: (issue: object) => string;
} {
  return {
    error(issue) {
      // The library takes a text alone from here; what else the issue has stays with it.
      Object.assign(issue, { params: { reason } });
      return describeReasons([reason]);
    },
  };
}

/** Returns sentences for clients: with their codes and values, without their words. */
export function showCodes(reasons: readonly FaultReason[]): Omit<FaultReason, 'message'>[];
export function showCodes(
  reasons: readonly FaultReason[] | undefined,
): Omit<FaultReason, 'message'>[] | undefined;
export function showCodes(
  reasons: readonly FaultReason[] | undefined,
): Omit<FaultReason, 'message'>[] | undefined {
  return reasons?.map(({ code, parameters }) => ({ code, parameters }));
}

/** Returns the issue that a schema adds for a reason. */
export function createIssue(
  path: readonly (string | number)[],
  reason: FaultReason,
): {
  code: 'custom';
  path: (string | number)[];
  message: string;
  params: { reason: FaultReason };
} {
  return { code: 'custom', path: [...path], message: describeReasons([reason]), params: { reason } };
}

function describe(sentence: string, parameters: Readonly<Record<string, Value>>): string {
  return fillSentence(sentence, (name) => {
    const value = parameters[name] ?? '';
    const values = typeof value === 'object' ? value : [String(value)];
    return NAMES_OF_KINDS.has(name)
      ? values.map((kind) => KINDS[kind] ?? kind).join(' or ')
      : values.join(', ');
  });
}
