import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';

import { InvalidRequest } from '../base/errors.ts';
import { createReason, explain } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import { isPlainText } from '../base/text/plain-text.ts';
import { YAML_FAULTS, YAML_SYNTAX_FAULTS } from './fault-sentences.ts';
import { PositionRecorder } from './yaml-positions.ts';
import type { Positions, Position } from './yaml-positions.ts';

/** Plain data parsed from a text. */
export interface YamlDocument {
  /** Objects, arrays, strings, numbers, booleans and null; null for a text without content. */
  readonly value: unknown;
  /** Position of each part: of its key in a mapping, of itself in a list. */
  readonly positions: Positions;
}

/** The text is not an accepted YAML document. */
export class YamlError extends InvalidRequest {
  readonly position: Position;

  /** Error without its position; quotes only keys, because values may be secrets. */
  readonly reason: FaultReason;

  constructor(position: Position, reason: FaultReason, cause?: unknown) {
    const { line, column } = position;
    const place = createReason(YAML_FAULTS, 'YAML_AT_POSITION', { line, column });
    super({ code: 'YAML_INVALID', ...explain(place, reason), cause });
    this.position = position;
    this.reason = reason;
  }
}

/** Maximum size of a text, the same as that of a configuration in the REST interface. */
export const MAXIMUM_YAML_BYTES = 16 * 1024 * 1024;

// Real configurations have up to eight levels.
const MAXIMUM_DEPTH = 32;

// Unbounded aliases expand a few hundred bytes to gigabytes.
const MAXIMUM_ALIASED_VALUES = 10_000;
// A longer text counts as several values.
const CHARACTERS_OF_VALUE = 100;

/** Position of an error of the text as a whole. */
export const START: Position = { line: 1, column: 1 };

/**
 * Parses YAML 1.2 (core schema, which includes JSON) to plain data.
 *
 * @param bytes UTF-8, with or without byte order mark, at most {@link MAXIMUM_YAML_BYTES}
 * @throws {YamlError} for a syntax error, a key that is given twice, a tag, several documents, nesting beyond 32 levels,
 *   aliases that repeat more than 10 000 values, text that is not UTF-8 or is too long, and for a value with NUL or half of
 *   a surrogate pair
 */
export function parseYaml(bytes: Uint8Array): YamlDocument {
  if (bytes.length > MAXIMUM_YAML_BYTES) {
    throw refuseTooLong();
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(decodeUtf8(bytes), {
    lineCounter,
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The library compares all pairs of keys; the reader below detects duplicates in linear time.
    uniqueKeys: false,
    // "silent" would accept a second document.
    logLevel: 'error',
  });
  const positionOf = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return line === 0 ? START : { line, column: col };
  };
  refuseSyntaxErrors(document, positionOf);
  return new Reader(positionOf).read(document);
}

/** Returns the error of a text beyond the maximum size. */
export function refuseTooLong(): YamlError {
  return new YamlError(START, createReason(YAML_FAULTS, 'YAML_TOO_LONG', { bound: MAXIMUM_YAML_BYTES }));
}

/** Formats plain data as YAML; `parseYaml` returns the same data. */
export function formatYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new YamlError(START, createReason(YAML_FAULTS, 'YAML_NOT_UTF8', {}));
  }
}

function refuseSyntaxErrors(document: Document, positionOf: (offset: number) => Position): void {
  const first = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])[0];
  if (first === undefined) return;
  throw new YamlError(positionOf(first.pos[0]), explainSyntaxError(first.code));
}

function explainSyntaxError(parserCode: string): FaultReason {
  const code = `YAML_${parserCode}`;
  if (parserCode === 'RESOURCE_EXHAUSTION') return explainDepth();
  return createReason(YAML_SYNTAX_FAULTS, isSyntaxCode(code) ? code : 'YAML_UNEXPECTED_TOKEN', {});
}

function isSyntaxCode(code: string): code is keyof typeof YAML_SYNTAX_FAULTS {
  return code in YAML_SYNTAX_FAULTS;
}

function explainDepth(): FaultReason {
  return createReason(YAML_FAULTS, 'YAML_TOO_DEEP', { bound: MAXIMUM_DEPTH });
}

/** Converts the nodes of one document to plain data and resolves its anchors. */
class Reader {
  readonly #positionOf: (offset: number) => Position;
  readonly #positions = new PositionRecorder();
  readonly #anchors = new Map<string, Node>();
  #aliasedValues = 0;
  #openAliases = 0;

  constructor(positionOf: (offset: number) => Position) {
    this.#positionOf = positionOf;
  }

  read({ contents }: Document): YamlDocument {
    const value = this.#readAt(contents, contents, 0);
    return { value, positions: this.#positions.finish() };
  }

  /** @param place node with the position of the part */
  #readAt(place: unknown, node: unknown, depth: number): unknown {
    const position = this.#positionOf(offsetOf(place) ?? 0);
    return this.#positions.record(position, () => this.#readNode(node, depth));
  }

  #readNode(node: unknown, depth: number): unknown {
    if (!isNode(node)) return null;
    if (depth > MAXIMUM_DEPTH) throw this.#fault(node, explainDepth());
    if (this.#openAliases > 0) this.#countAliased(node);
    if (isAlias(node)) return this.#readAlias(node, depth);
    const value = this.#readContent(node, depth);
    // Registered after its content, so that an alias inside its own anchor is an error.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #countAliased(node: Node): void {
    const length = isScalar(node) && typeof node.value === 'string' ? node.value.length : 0;
    this.#aliasedValues += 1 + Math.floor(length / CHARACTERS_OF_VALUE);
    if (this.#aliasedValues <= MAXIMUM_ALIASED_VALUES) return;
    const bound = MAXIMUM_ALIASED_VALUES;
    throw this.#fault(node, createReason(YAML_FAULTS, 'YAML_ALIASES_TOO_MANY', { bound }));
  }

  #readAlias(node: Node & { readonly source: string }, depth: number): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined) throw this.#fault(node, createReason(YAML_FAULTS, 'YAML_ANCHOR_MISSING', {}));
    this.#openAliases += 1;
    const value = this.#readNode(target, depth + 1);
    this.#openAliases -= 1;
    return value;
  }

  #readContent(node: Node, depth: number): unknown {
    if (isMap(node)) return this.#readMapping(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.#readAt(item, item, depth + 1));
    if (!isScalar(node)) return null;
    if (typeof node.value === 'string') this.#refuseStrange(node, node.value);
    return node.value;
  }

  #readMapping(node: YAMLMap, depth: number): unknown {
    const entries = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      this.#refuseStrange(key, name);
      if (entries.has(name)) {
        throw this.#fault(key, createReason(YAML_FAULTS, 'YAML_KEY_REPEATED', { key: name }));
      }
      entries.set(name, this.#readAt(key, value, depth + 1));
    }
    // fromEntries defines own properties, so that a key such as __proto__ stays a mere key.
    return Object.fromEntries(entries);
  }

  #refuseStrange(node: unknown, text: string): void {
    if (!isPlainText(text)) throw this.#fault(node, createReason(YAML_FAULTS, 'YAML_STRANGE_TEXT', {}));
  }

  #fault(node: unknown, reason: FaultReason): YamlError {
    return new YamlError(this.#positionOf(offsetOf(node) ?? 0), reason);
  }
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
