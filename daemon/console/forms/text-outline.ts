import { holdsSecret } from './secret.ts';

/** Parsed text, or its syntax errors. */
export type ReadText =
  | { readonly kind: 'VALUE'; readonly value: unknown }
  | {
      readonly kind: 'WRONG';
      /** Code of the parser. */
      readonly code: string;
      readonly line: number;
      readonly offset: number;
    };

/** What is needed of a parsed text while it is typed: its value can be large, and receiving it would delay a key. */
export type TextOutline =
  | { readonly kind: 'VALUE'; readonly holdsSecret: boolean; readonly driver: unknown }
  | Extract<ReadText, { readonly kind: 'WRONG' }>;

/** Text to parse in a worker. */
export interface ReadingTask {
  readonly text: string;
  /** Keys that hold secrets, for an outline; undefined for the value itself. */
  readonly secretNames: ReadonlySet<string> | undefined;
}

/** Reduces a parsed text to its outline. */
export function outlineText(result: ReadText, secretNames: ReadonlySet<string>): TextOutline {
  if (result.kind === 'WRONG') return result;
  const { value } = result;
  return { kind: 'VALUE', holdsSecret: holdsSecret(value, secretNames), driver: readDriver(value) };
}

/** Returns the driver of an asset. */
export function readDriver(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'driver' in value ? value.driver : undefined;
}
