import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';

import { InvalidRequest } from '../base/errors.ts';
import { isPlainText } from '../base/text/plain-text.ts';
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

  constructor(position: Position, message: string, cause?: unknown) {
    super({
      code: 'YAML_INVALID',
      detail: `line ${position.line}, column ${position.column}: ${message}`,
      cause,
    });
    this.position = position;
    this.reason = message;
  }

  /** Error without its position; quotes only keys, because values may be secrets. */
  readonly reason: string;
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

// Own messages: those of the parser quote the text, which may contain a password.
const SYNTAX_FAULTS: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'expected the name of an anchor after *',
  BAD_DQ_ESCAPE: 'this escape sequence does not exist between double quotes',
  BAD_INDENT: 'the indentation does not fit, or a closing bracket is missing',
  BAD_SCALAR_START: 'a value that begins with this character has to be put between quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a second ": " in one value; expected one key per line with the indentation of its neighbours, or quotes around the value',
  BLOCK_IN_FLOW: 'expected a closing bracket before this line',
  MISSING_CHAR: 'a closing quote, a bracket or a ":" is missing',
  MULTILINE_IMPLICIT_KEY: 'expected "key: value"; there is no ": ", or the indentation does not fit',
  MULTIPLE_DOCS: 'a second document begins here; expected only one',
  NON_STRING_KEY: 'expected a text as key',
  RESOURCE_EXHAUSTION: `nested too deeply; at most ${MAXIMUM_DEPTH} levels are read`,
  TAB_AS_INDENT: 'indentation with a tab; expected spaces',
  TAG_RESOLVE_FAILED: 'tags (words with !) are not used here; expected plain data',
};

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
    throw new YamlError(START, `longer than ${MAXIMUM_YAML_BYTES} bytes`);
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

/** Formats plain data as YAML; `parseYaml` returns the same data. */
export function formatYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new YamlError(START, 'the text is not UTF-8');
  }
}

function refuseSyntaxErrors(document: Document, positionOf: (offset: number) => Position): void {
  const first = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])[0];
  if (first === undefined) return;
  throw new YamlError(positionOf(first.pos[0]), SYNTAX_FAULTS[first.code] ?? 'this is not valid YAML here');
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
    if (depth > MAXIMUM_DEPTH) throw this.#fault(node, SYNTAX_FAULTS['RESOURCE_EXHAUSTION'] ?? '');
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
    throw this.#fault(node, `aliases repeat more than ${MAXIMUM_ALIASED_VALUES} values, or very long ones`);
  }

  #readAlias(node: Node & { readonly source: string }, depth: number): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined) throw this.#fault(node, 'no anchor of this name comes before the alias');
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
      if (entries.has(name)) throw this.#fault(key, `the key "${name}" is given twice`);
      entries.set(name, this.#readAt(key, value, depth + 1));
    }
    // fromEntries defines own properties, so that a key such as __proto__ stays a mere key.
    return Object.fromEntries(entries);
  }

  #refuseStrange(node: unknown, text: string): void {
    if (!isPlainText(text)) throw this.#fault(node, 'the text holds NUL or half of a surrogate pair');
  }

  #fault(node: unknown, message: string): YamlError {
    return new YamlError(this.#positionOf(offsetOf(node) ?? 0), message);
  }
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
