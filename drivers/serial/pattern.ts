import { compilePattern } from './pattern-program.ts';
import type { Instruction } from './pattern-program.ts';

/** Maximum length of a matched text, in characters. */
export const MAXIMUM_TEXT_LENGTH = 1024;

/** The match of a pattern. */
export interface PatternMatch {
  /** Text of the capture group; undefined if there is none or it did not take part in the match. */
  readonly captured: string | undefined;
}

/** Finds a text in the bytes of a device, in a time that the device cannot extend. */
export interface Pattern {
  readonly captureCount: number;
  /** Returns the leftmost match; undefined if there is none or the text is longer than `MAXIMUM_TEXT_LENGTH`. */
  match(text: string): PatternMatch | undefined;
}

interface State {
  readonly step: number;
  readonly at: number;
  readonly open: number;
  readonly close: number;
}

/**
 * Creates a pattern; see `compilePattern` for its syntax.
 *
 * JavaScript regular expressions backtrack, which takes years for some patterns and texts. Here no step of the program
 * is tried twice at one position, so a match takes at most steps × characters.
 *
 * @throws {PatternFault}
 */
export function createPattern(source: string): Pattern {
  const { instructions, captureCount } = compilePattern(source);
  return {
    captureCount,
    match: (text) => (text.length > MAXIMUM_TEXT_LENGTH ? undefined : find(instructions, text)),
  };
}

function find(instructions: readonly Instruction[], text: string): PatternMatch | undefined {
  // A state that failed fails from a later start as well: the text before it does not matter.
  const tried = new Uint8Array(instructions.length * (text.length + 1));
  for (let begin = 0; begin <= text.length; begin += 1) {
    const match = findFrom(instructions, text, begin, tried);
    if (match !== undefined) return match;
  }
  return undefined;
}

function findFrom(
  instructions: readonly Instruction[],
  text: string,
  begin: number,
  tried: Uint8Array,
): PatternMatch | undefined {
  // The preferred state is on top.
  const states: State[] = [{ step: 0, at: begin, open: -1, close: -1 }];
  for (let state = states.pop(); state !== undefined; state = states.pop()) {
    const { step, at, open, close } = state;
    const position = step * (text.length + 1) + at;
    if (tried[position] === 1) continue;
    tried[position] = 1;
    const instruction = instructions[step];
    const next = { step: step + 1, at, open, close };
    switch (instruction?.kind) {
      case 'CHARACTER':
        if (at < text.length && instruction.test(text.charCodeAt(at))) states.push({ ...next, at: at + 1 });
        break;
      case 'SPLIT':
        states.push({ ...next, step: instruction.second }, { ...next, step: instruction.first });
        break;
      case 'JUMP':
        states.push({ ...next, step: instruction.next });
        break;
      case 'BEGIN':
        if (at === 0) states.push(next);
        break;
      case 'END':
        if (at === text.length) states.push(next);
        break;
      case 'OPEN':
        states.push({ ...next, open: at });
        break;
      case 'CLOSE':
        states.push({ ...next, close: at });
        break;
      default:
        return { captured: close < 0 ? undefined : text.slice(open, close) };
    }
  }
  return undefined;
}
