import { createReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';

/** Returns true for a matching character (UTF-16 code unit). */
export type CharacterTest = (code: number) => boolean;

/** One step of a pattern; targets such as `next` are positions in the program. */
export type Instruction =
  | { readonly kind: 'CHARACTER'; readonly test: CharacterTest }
  /** Two alternatives; `first` is tried first. */
  | { readonly kind: 'SPLIT'; first: number; second: number }
  | { readonly kind: 'JUMP'; next: number }
  | { readonly kind: 'BEGIN' | 'END' | 'OPEN' | 'CLOSE' | 'MATCH' };

/** An invalid pattern. */
export class PatternFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason) {
    super(reason.message);
    this.reason = reason;
  }
}

/** A compiled pattern. */
export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly captureCount: number;
}

const MAXIMUM_PATTERN_LENGTH = 256;

// For texts of 1 KiB this limits a match to half a million steps.
const MAXIMUM_INSTRUCTIONS = 512;
const MAXIMUM_REPEATS = 255;

const isDigit: CharacterTest = (code) => code >= 0x30 && code <= 0x39;
const isWord: CharacterTest = (code) => /\w/.test(String.fromCharCode(code));
const isSpace: CharacterTest = (code) => /\s/.test(String.fromCharCode(code));
const isLineEnd: CharacterTest = (code) =>
  code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;

const CLASSES: Readonly<Record<string, CharacterTest>> = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

type Emit = () => void;

/**
 * Compiles a pattern: the subset of JavaScript regular expressions that matches in linear time.
 *
 * Supported are literals, `.`, classes, `\d \w \s` and their complements, `\t \n \v \f \r \0 \xHH`, groups, `|`, `^`,
 * `$`, and `* + ? {m} {m,} {m,n}`, greedy or lazy. At most one group captures, and it is not repeated.
 *
 * @throws {PatternFault}
 */
export function compilePattern(source: string): PatternProgram {
  if (source.length > MAXIMUM_PATTERN_LENGTH) {
    throw new PatternFault(
      createReason(SERIAL_FAULTS, 'PATTERN_TOO_LONG', { bound: MAXIMUM_PATTERN_LENGTH }),
    );
  }
  return new Compiler(source).compile();
}

/** Reads the source once; each method parses one construct and returns a function that emits its instructions. */
class Compiler {
  readonly #source: string;
  readonly #instructions: Instruction[] = [];
  #at = 0;
  #captureCount = 0;

  constructor(source: string) {
    this.#source = source;
  }

  compile(): PatternProgram {
    const emit = this.#takeAlternatives();
    if (this.#at < this.#source.length)
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_CLOSES_NOTHING', { at: this.#at }));
    emit();
    this.#push({ kind: 'MATCH' });
    return { instructions: this.#instructions, captureCount: this.#captureCount };
  }

  #takeAlternatives(): Emit {
    const first = this.#takeSequence();
    if (!this.#takeIf('|')) return first;
    const rest = this.#takeAlternatives();
    return () => {
      const split = this.#push({ kind: 'SPLIT', first: this.#instructions.length + 1, second: 0 });
      first();
      const jump = this.#push({ kind: 'JUMP', next: 0 });
      split.second = this.#instructions.length;
      rest();
      jump.next = this.#instructions.length;
    };
  }

  #takeSequence(): Emit {
    const parts: Emit[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) parts.push(this.#takeRepeated());
    return () => {
      for (const emit of parts) emit();
    };
  }

  #takeRepeated(): Emit {
    const begin = this.#at;
    const capturesBefore = this.#captureCount;
    const emit = this.#takeAtom();
    const range = this.#takeQuantifier();
    if (range === undefined) return emit;
    const isLazy = this.#takeIf('?');
    const isAnchor = '^$'.includes(this.#source.charAt(begin));
    // At the end there is no next character, and every text includes the empty one.
    const isDoubled = this.#at < this.#source.length && '*+?{'.includes(this.#peek());
    if (isAnchor || isDoubled) {
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_REPEATS_NOTHING', { at: this.#at }));
    }
    if (this.#captureCount > capturesBefore) {
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_CAPTURE_REPEATED', {}));
    }
    return () => this.#emitRepeated(emit, range, isLazy);
  }

  #emitRepeated(emit: Emit, [minimum, maximum]: readonly [number, number], isLazy: boolean): void {
    for (let count = 0; count < minimum; count += 1) emit();
    if (maximum === Number.POSITIVE_INFINITY) {
      const loop = this.#instructions.length;
      const leave = this.#emitChoice(isLazy);
      emit();
      this.#push({ kind: 'JUMP', next: loop });
      leave();
      return;
    }
    const leaves: (() => void)[] = [];
    for (let count = minimum; count < maximum; count += 1) {
      leaves.push(this.#emitChoice(isLazy));
      emit();
    }
    for (const leave of leaves) leave();
  }

  // The following instructions are optional; the returned call marks the target of skipping them.
  #emitChoice(isLazy: boolean): () => void {
    const body = this.#instructions.length + 1;
    const split = this.#push({ kind: 'SPLIT', first: body, second: body });
    return () => {
      if (isLazy) split.first = this.#instructions.length;
      else split.second = this.#instructions.length;
    };
  }

  #takeQuantifier(): readonly [number, number] | undefined {
    if (this.#takeIf('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#takeIf('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#takeIf('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const found = /^\{(\d{1,3})(?:(,)(\d{0,3}))?\}/.exec(this.#source.slice(this.#at));
    if (found === null)
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_BRACE', { brace: '{', at: this.#at }));
    this.#at += found[0].length;
    const [, low = '', comma, high = ''] = found;
    const minimum = Number(low);
    const maximum = comma === undefined ? minimum : high === '' ? Number.POSITIVE_INFINITY : Number(high);
    const largest = maximum === Number.POSITIVE_INFINITY ? minimum : maximum;
    if (maximum < minimum || largest > MAXIMUM_REPEATS) {
      throw new PatternFault(
        createReason(SERIAL_FAULTS, 'PATTERN_RANGE', { range: found[0], bound: MAXIMUM_REPEATS }),
      );
    }
    return [minimum, maximum];
  }

  #takeAtom(): Emit {
    const character = this.#take();
    switch (character) {
      case '^':
        return () => this.#push({ kind: 'BEGIN' });
      case '$':
        return () => this.#push({ kind: 'END' });
      case '.':
        return this.#emitter((code) => !isLineEnd(code));
      case '[':
        return this.#emitter(this.#takeClass());
      case '(':
        return this.#takeGroup();
      case '\\': {
        const escape = this.#takeEscape();
        return this.#emitter(typeof escape === 'number' ? (code) => code === escape : escape);
      }
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        throw new PatternFault(
          createReason(SERIAL_FAULTS, 'PATTERN_CHARACTER_ALONE', { character, at: this.#at - 1 }),
        );
      default: {
        const wanted = character.charCodeAt(0);
        return this.#emitter((code) => code === wanted);
      }
    }
  }

  #takeGroup(): Emit {
    const begin = this.#at - 1;
    let captures = true;
    if (this.#takeIf('?')) {
      if (!this.#takeIf(':'))
        throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_GROUP_KIND', { at: begin }));
      captures = false;
    }
    if (captures) this.#captureCount += 1;
    if (this.#captureCount > 1) throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_CAPTURES', {}));
    const inner = this.#takeAlternatives();
    if (!this.#takeIf(')'))
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_GROUP_OPEN', { at: begin }));
    if (!captures) return inner;
    return () => {
      this.#push({ kind: 'OPEN' });
      inner();
      this.#push({ kind: 'CLOSE' });
    };
  }

  #takeClass(): CharacterTest {
    const begin = this.#at - 1;
    const isNegated = this.#takeIf('^');
    const tests: CharacterTest[] = [];
    while (!this.#takeIf(']')) {
      if (this.#at >= this.#source.length)
        throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_CLASS_OPEN', { at: begin }));
      const low = this.#takeClassMember();
      const isRange = this.#peek() === '-' && this.#source.charAt(this.#at + 1) !== ']';
      if (typeof low !== 'number' || !isRange) {
        tests.push(typeof low === 'number' ? (code) => code === low : low);
        continue;
      }
      this.#at += 1;
      const high = this.#takeClassMember();
      if (typeof high !== 'number' || high < low)
        throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_CLASS_RANGE', { at: begin }));
      tests.push((code) => code >= low && code <= high);
    }
    return (code) => tests.some((test) => test(code)) !== isNegated;
  }

  #takeClassMember(): number | CharacterTest {
    const character = this.#take();
    return character === '\\' ? this.#takeEscape() : character.charCodeAt(0);
  }

  #takeEscape(): number | CharacterTest {
    const character = this.#take();
    if (Object.hasOwn(CLASSES, character)) return CLASSES[character] ?? 0;
    if (Object.hasOwn(CONTROLS, character)) return CONTROLS[character] ?? 0;
    if (character === 'x') {
      const digits = this.#source.slice(this.#at, this.#at + 2);
      if (!/^[0-9a-f]{2}$/i.test(digits))
        throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_HEX', {}));
      this.#at += 2;
      return Number.parseInt(digits, 16);
    }
    if (/[A-Za-z0-9]/.test(character))
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_ESCAPE', { character }));
    return character.charCodeAt(0);
  }

  #emitter(test: CharacterTest): Emit {
    return () => this.#push({ kind: 'CHARACTER', test });
  }

  #push<T extends Instruction>(instruction: T): T {
    if (this.#instructions.length >= MAXIMUM_INSTRUCTIONS) {
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_STEPS', { bound: MAXIMUM_INSTRUCTIONS }));
    }
    this.#instructions.push(instruction);
    return instruction;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(): string {
    if (this.#at >= this.#source.length)
      throw new PatternFault(createReason(SERIAL_FAULTS, 'PATTERN_ENDS', {}));
    this.#at += 1;
    return this.#source.charAt(this.#at - 1);
  }

  #takeIf(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }
}
